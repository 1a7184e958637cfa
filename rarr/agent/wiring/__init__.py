"""From names in the settings to components: models, searches, rerankers, verifiers."""

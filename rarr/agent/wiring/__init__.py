"""Makes the components that the settings name: models, retrievers, rerankers and verifiers."""

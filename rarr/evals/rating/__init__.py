"""Rating by people: the items and questions of a page, and the labels that several raters give together."""

"""Shows results to people: on the terminal, as pages of HTML, and in notebooks."""

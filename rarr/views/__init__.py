"""What a person sees: the terminal, pages of HTML, and notebooks."""

"""Searches the user's knowledge graphs: files of triples such as (Ida Lunde, place of birth, Aarle)."""

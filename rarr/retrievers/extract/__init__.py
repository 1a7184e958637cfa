"""The text of files and pages, extracted in processes with limits of time and memory."""

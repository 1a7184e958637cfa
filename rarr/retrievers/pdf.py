"""A PDF -> its text and title."""

import io
import logging

from rarr.retrievers.documents import UnreadableError

_SILENCE = logging.NullHandler()  # without one, pypdf writes to standard error


def read_pdf(data: bytes) -> tuple[str, str]:
    """The text and the title ("" where there is none) of the PDF in `data`. Raises `UnreadableError`."""
    import pypdf  # takes long to import

    logging.getLogger("pypdf").addHandler(_SILENCE)
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        text = "\n\n".join(page.extract_text() for page in reader.pages)
        title = reader.metadata.title if reader.metadata else None
    except Exception as error:  # a damaged PDF makes the parser raise almost anything
        raise UnreadableError(f"its PDF cannot be read ({type(error).__name__}: {error})") from error
    return text, str(title or "").strip()

"""What is shown of an object: the session that answers, what the page begins with, and which parts it has."""

from clearhead.session.showing.address import Page, address_of
from clearhead.session.showing.captured import number_in
from clearhead.session.showing.kinds import showing
from clearhead.session.showing.shown import Showing

__all__ = ["Page", "Showing", "address_of", "number_in", "showing"]

// Escapes text for HTML and XML.

const ENTITIES: Readonly<Record<string, string>> = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'};

/** @param apostrophe `&apos;` for XML, `&#39;` for HTML: versions before 5 have no `&apos;` */
export const escapeMarkup = (text: string, apostrophe: '&#39;' | '&apos;'): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? apostrophe);

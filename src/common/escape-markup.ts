// Escapes text for HTML and XML.

const ENTITIES: Readonly<Record<string, string>> = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'};

/** @param apostrophe `&apos;` in XML; HTML before version 5 does not know it */
export const escapeMarkup = (text: string, apostrophe: '&#39;' | '&apos;'): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? apostrophe);

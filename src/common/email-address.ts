// The rule for email addresses, for typed text, spreadsheets and the sandbox. At least as strict as the service.

/** An address of up to 254 characters (RFC 5321). */
export const EMAIL_ADDRESS = /^(?!.{255}|')(?:[\w'+-]+\.)*[\w'+-]*[\w+-]@(?:[a-z\d][a-z\d-]*\.)+[a-z]{2,}$/i;

/** The context that a mail's text is encrypted with: it can be decrypted only as the text of the same row. */
export function bodyContext(eventKey: string): string {
  return `mails.encrypted_body:${eventKey}`
}

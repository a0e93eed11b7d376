/** What the body of a mail is sealed for: its own row alone. */
export function placeOfBody(eventKey: string): string {
  return `mails.sealed_body:${eventKey}`
}

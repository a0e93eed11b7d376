// What an endpoint answered when it did not accept a request, as far as it is kept and shown.
import type { OutgoingAnswer } from '../platform/security/egress.ts'

/** The beginning of an answer that was no success. */
export interface RefusalAnswer {
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly body: string
}

// Those that say why. Others, such as cookies, may be secrets of the other side.
const shownHeaders = ['content-type', 'retry-after', 'location', 'server', 'www-authenticate', 'x-request-id']
const headerLengthMax = 200
const controlCharacters = /[^\P{Cc}\n\t]/gu

/** The headers that say why, and the body as text: what is no text, or could not be stored, is left out. */
export function readRefusal({ headers, body }: Pick<OutgoingAnswer, 'headers' | 'body'>): RefusalAnswer {
  return {
    headers: shownHeaders.flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [{ name, value: plain(value).slice(0, headerLengthMax) }]
    }),
    body: plain(body.toString('utf8')),
  }
}

function plain(text: string): string {
  return text.replaceAll(controlCharacters, '').replaceAll('\uFFFD', '')
}

// A provider's answer as UTF-8. Octets that are read in a wrong charset would be stored as a wrong text for ever.
import { isAscii, isUtf8 } from 'node:buffer'
import { setImmediate as turn } from 'node:timers/promises'
import { TextDecoder } from 'node:util'
import { keptText } from '@tollgate/contract/kept-texts.ts'
import { ProviderFault } from './faults.ts'

// Some milliseconds of decoding; after each slice the event loop gets a turn.
const sliceBytes = 262_144

/** The same text in UTF-8. Throws ProviderFault for octets that are none of the announced charset. */
export async function decodeBody(body: Buffer, headers: Pick<Headers, 'get'>): Promise<Buffer> {
  const packing = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  if (packing !== '' && packing !== 'identity')
    throw new ProviderFault(
      keptText(
        'The answer is compressed ({encoding}) although it was asked for as it is. Switch that off there.',
        {
          encoding: packing.slice(0, 40),
        },
      ),
    )
  const charset = charsetOf(headers.get('content-type')) ?? markOf(body) ?? 'utf-8'
  if (/^utf-?8$/.test(charset)) {
    if (isUtf8(body)) return body
    throw notIn('UTF-8')
  }
  // The octets of ASCII are those of UTF-8; the web's TextDecoder would read the others as Windows-1252.
  if (/^(us-)?ascii$/.test(charset)) {
    if (isAscii(body)) return body
    throw notIn('ASCII')
  }
  return decode(body, charset)
}

/** The charset that a media type names, in lower case. */
function charsetOf(type: string | null): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s";,]{1,40})/i.exec(type ?? '')?.[1]?.toLowerCase()
}

/** By the byte order mark that UTF-16 begins with. */
function markOf(body: Buffer): string | undefined {
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le'
  return body[0] === 0xfe && body[1] === 0xff ? 'utf-16be' : undefined
}

async function decode(body: Buffer, charset: string): Promise<Buffer> {
  let decoder: TextDecoder
  try {
    decoder = new TextDecoder(charset, { fatal: true })
  } catch {
    throw new ProviderFault(
      keptText('The answer is in the charset {charset}, which is not known here. Have it sent in UTF-8.', {
        charset: charset.slice(0, 40),
      }),
    )
  }
  const pieces: Buffer[] = []
  try {
    for (let from = 0; from < body.length; from += sliceBytes) {
      pieces.push(Buffer.from(decoder.decode(body.subarray(from, from + sliceBytes), { stream: true })))
      if (body.length > sliceBytes) await turn()
    }
    pieces.push(Buffer.from(decoder.decode()))
  } catch {
    throw notIn(charset)
  }
  return Buffer.concat(pieces)
}

function notIn(charset: string): ProviderFault {
  return new ProviderFault(
    keptText(
      'The answer has octets that are none of {charset}. Have it sent in UTF-8, or announced as it is.',
      {
        charset: charset.slice(0, 40),
      },
    ),
  )
}

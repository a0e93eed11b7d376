// Reads a receipt as real SMSCs send it (SMPP 3.4 Appendix B leaves its text to the vendor): the one reader of the library.
import { decodeBody } from '../text/decode.ts'
import type { DefaultAlphabet } from '../text/alphabet.ts'
import { decodeUcs2 } from '../text/ucs2.ts'
import { parseUdh } from '../text/udh.ts'
import { parseReceipt, stateName, type ParsedReceipt } from '../text/receipt.ts'
import { findTlv, type Tlv } from '../tlv/tlv.ts'
import { tags } from '../tlv/tags.ts'
import { esmClass, hasUdh, isReceipt } from '../values/esm-class.ts'

/** The fields of a deliver_sm or data_sm that make a receipt. */
export interface ReceiptBody {
  readonly esmClass: number
  readonly dataCoding: number
  /** Absent in a data_sm. */
  readonly shortMessage?: Buffer
  readonly tlvs: readonly Tlv[]
}

interface ReceiptReading {
  /** How the SMSC's data_coding 0 is read; gsm7 when absent. */
  readonly defaultAlphabet?: DefaultAlphabet
  /** Whether a text alone makes a receipt, when it reads as one; for SMSCs that mark their receipts in no way. */
  readonly isReceiptByText?: boolean
}

export interface ReadReceipt {
  /** The message_id that it is for; undefined when it names none. */
  readonly id: string | undefined
  /** The word of Appendix B for its state; a vendor's own word as sent; UNKNOWN when it has none. */
  readonly state: string
}

// No receipt is longer. The rest of a message_payload of 64 KiB is not looked at.
const readOctetsMax = 4_000
const noOctets = Buffer.alloc(0)

/**
 * Reads a receipt; undefined for a message. A receipt is what esm_class says to be one (§5.2.12), and whatever it says
 * what has receipted_message_id and message_state (§5.3.2.12, §5.3.2.35). Its header is cut off, and its text is read as
 * ASCII, by its data_coding, or as UCS-2, whichever shows a receipt. Never throws.
 */
export function readReceipt(body: ReceiptBody, reading: ReceiptReading = {}): ReadReceipt | undefined {
  const receiptedMessageId = findTlv(body.tlvs, tags.receiptedMessageId)
  const messageState = findTlv(body.tlvs, tags.messageState)
  const isMarked =
    isReceipt(body.esmClass) || (receiptedMessageId !== undefined && messageState !== undefined)
  const mayBeByText = reading.isReceiptByText === true && (body.esmClass & esmClass.messageTypeMask) === 0
  if (!isMarked && !mayBeByText) return undefined
  const parameters = { receiptedMessageId, messageState }
  const parsed = parsedOf(body, parameters, reading.defaultAlphabet)
  return isMarked || readsAsReceipt(parsed) ? { id: parsed?.id, state: wordOf(parsed) } : undefined
}

function readsAsReceipt(parsed: ParsedReceipt | undefined): boolean {
  return parsed?.id !== undefined && parsed.state !== undefined
}

function wordOf(parsed: ParsedReceipt | undefined): string {
  return stateName(parsed?.state) ?? parsed?.stateText ?? 'UNKNOWN'
}

/** The reading that has both an id and a state, or else the first one that has anything. */
function parsedOf(
  body: ReceiptBody,
  parameters: Parameters<typeof parseReceipt>[1],
  defaultAlphabet: DefaultAlphabet | undefined,
): ParsedReceipt | undefined {
  let first: ParsedReceipt | undefined
  for (const text of textsOf(body, defaultAlphabet)) {
    const parsed = parseReceipt(text, parameters)
    if (parsed?.id !== undefined && parsed.stateText !== undefined) return parsed
    first ??= parsed
  }
  return first
}

/** The text in each way that it may be meant, made one by one: most receipts are ASCII, whatever their data_coding. */
function* textsOf(
  { esmClass: esm, dataCoding, shortMessage = noOctets, tlvs }: ReceiptBody,
  defaultAlphabet: DefaultAlphabet | undefined,
): Generator<string> {
  const whole = shortMessage.length > 0 ? shortMessage : (findTlv(tlvs, tags.messagePayload) ?? noOctets)
  const octets = whole.subarray(0, readOctetsMax)
  const text = octets.subarray(hasUdh(esm) ? parseUdh(octets).octetCount : 0)
  yield text.toString('latin1')
  yield decodeBody({ dataCoding, esmClass: esm, octets, defaultAlphabet }).text
  yield decodeUcs2(text).text
  // Some set the bit of the header and send none.
  if (hasUdh(esm)) yield octets.toString('latin1')
}

import { t } from '../../language/t.ts'
// Checks the form of a TRC20 address before it is sent. The server checks again and decides.
const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const addressLength = 34
/** 0x41, 20 bytes of account, 4 bytes of checksum. */
const byteLength = 25

function decode(text: string): Uint8Array<ArrayBuffer> | undefined {
  let value = 0n
  for (const character of text) value = value * 58n + BigInt(alphabet.indexOf(character))
  const hex = value.toString(16).padStart(byteLength * 2, '0')
  if (hex.length !== byteLength * 2) return undefined
  return Uint8Array.from({ length: byteLength }, (_, index) =>
    Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16),
  )
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

function wrongShape(text: string): string | undefined {
  if (text.startsWith('0x'))
    return t('This is an Ethereum address. Enter the TRC20 address, which begins with T.')
  if (!text.startsWith('T')) return t('A TRC20 address begins with T.')
  const stranger = [...text.matchAll(/./gu)].find(([character]) => !alphabet.includes(character))
  if (stranger)
    return t('A TRC20 address has no "{character}". Copy it again from the wallet.', {
      character: stranger[0],
    })
  if (text.length !== addressLength)
    return t(
      'A TRC20 address has {addressLength} characters; this has {count}. Copy it again from the wallet.',
      { addressLength, count: text.length },
    )
  return undefined
}

const mistyped = t('The checksum does not match: a character is mistyped. Copy it again from the wallet.')

/**
 * What is wrong with an address, as a text for the person who enters it. undefined when nothing is wrong, or when it
 * cannot be checked here.
 */
export async function addressProblem(text: string): Promise<string | undefined> {
  const shape = wrongShape(text)
  if (shape !== undefined) return shape
  const bytes = decode(text)
  if (bytes?.[0] !== 0x41) return mistyped
  // Pages without HTTPS have no digest. Then only the server finds a wrong checksum.
  if (globalThis.crypto.subtle === undefined) return undefined
  const sum = await sha256(await sha256(bytes.slice(0, byteLength - 4)))
  return bytes.slice(byteLength - 4).every((byte, index) => byte === sum[index]) ? undefined : mistyped
}

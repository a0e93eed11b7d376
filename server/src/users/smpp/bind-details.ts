// What peers are told to bind to, and the number to which they may send their first message.
import { isIPv6 } from 'node:net'
import { sql } from 'kysely'
import { z } from 'zod'
import { Refusal } from '@tollgate/contract/errors.ts'
import { numberInputSchema } from '@tollgate/contract/fields.ts'
import { spoken } from '@tollgate/contract/sentences.ts'
import { row, type Db } from '../../platform/db.ts'
import type { Settings } from '../../settings/index.ts'

export interface SmppAddress {
  readonly host: string
  readonly port: number
}

export interface BindSettings {
  /** The address that peers are told; `own` is what the gateway was started with. */
  readonly smppAddress: (db: Db) => Promise<SmppAddress>
  /** In digits; empty while none is set aside, or the one that was takes no messages or has a holder now. */
  readonly testNumber: (db: Db) => Promise<string>
}

const nameAndPort = /^(?<host>\[[\da-f:.]+\]|[\da-z](?:[\da-z.-]*[\da-z])?)(?::(?<port>\d{1,5}))?$/i

/** `smpp.example.com`, `smpp.example.com:2776` or `[2001:db8::7]:2776`; undefined for anything else. */
function readAddress(text: string): { host: string; port: number | undefined } | undefined {
  if (isIPv6(text)) return { host: text, port: undefined }
  const { host, port } = nameAndPort.exec(text)?.groups ?? {}
  if (host === undefined || host.length > 253) return undefined
  const isWrongPort = port !== undefined && (Number(port) < 1 || Number(port) > 65_535)
  const isWrongHost = host.startsWith('[') && !isIPv6(host.slice(1, -1))
  if (isWrongPort || isWrongHost) return undefined
  return { host: host.replace(/^\[|\]$/g, ''), port: port === undefined ? undefined : Number(port) }
}

/** Declares the two settings and returns their readers. Call it once. */
export function defineBindSettings(settings: Settings, own: () => SmppAddress): BindSettings {
  const address = settings.define<string>({
    key: 'smpp_public_address',
    description:
      'What peers are told to bind to, as smpp.example.com or smpp.example.com:2776. Empty: the name of the console and the port of the SMPP server.',
    fallback: '',
    schema: z
      .string()
      .trim()
      .refine(
        (text) => text === '' || readAddress(text) !== undefined,
        spoken('Enter a host name, with a port perhaps, such as smpp.example.com:2776'),
      ),
  })
  const test = settings.define<string>({
    key: 'smpp_test_number',
    description:
      'The number to which a peer may send its first message. It takes messages and nobody holds it, so that they earn nobody anything. Empty: none is named.',
    fallback: '',
    schema: z.union([z.literal(''), numberInputSchema]),
    refuse: async (tx, digits) => {
      if (digits === '' || (await isForTests(tx, digits))) return
      throw new Refusal('invalid', 'Choose a number of ours that takes messages and that nobody holds.', {
        fields: { settingValue: 'Choose a number of ours that takes messages and that nobody holds.' },
      })
    },
  })
  return {
    async smppAddress(db) {
      const { host, port } = readAddress(await address.get(db)) ?? {}
      return { host: host ?? own().host, port: port ?? own().port }
    },
    async testNumber(db) {
      const digits = await test.get(db)
      return digits !== '' && (await isForTests(db, digits)) ? digits : ''
    },
  }
}

async function isForTests(db: Db, digits: string): Promise<boolean> {
  const found = await row(
    db,
    sql`select 1 from numbers where number = ${digits} and deleted_at is null and status = 'active' and holder_id is null`,
  )
  return found !== undefined
}

// What is done about a client's traffic: the mode for all, and those of single clients.
import { z } from 'zod'
import { integrityModes, type IntegrityMode } from '@tollgate/contract/vocabulary.ts'
import { spoken } from '@tollgate/contract/sentences.ts'
import type { Db } from '../platform/db.ts'
import type { Settings } from '../settings/index.ts'

/** The setting `integrity_mode`. */
export interface ModeForAll {
  readonly get: (db: Db) => Promise<IntegrityMode>
}

/** The mode of each client. */
export interface Modes {
  /** Whether anybody is judged, and whether anything is held. */
  readonly isAnyOn: boolean
  readonly isAnyEnforced: boolean
  of(clientId: number): IntegrityMode
}

type ClientModes = ReadonlyMap<number, IntegrityMode>

const entryPattern = /^([1-9]\d{0,8}) (off|dry_run|enforce)$/

const clientModesSchema = z
  .string()
  .max(4000)
  .transform((text) =>
    text
      .split(',')
      .map((entry) => entry.trim().replace(/\s+/g, ' '))
      .filter((entry) => entry !== ''),
  )
  .refine(
    (entries) => entries.every((entry) => entryPattern.test(entry)),
    'Enter ids of clients and their modes, such as 12 enforce, 40 off',
  )
  .transform((entries): ClientModes => new Map(entries.map(toEntry)))

function toEntry(entry: string): [number, IntegrityMode] {
  const [id = '', word = ''] = entry.split(' ')
  return [Number(id), integrityModes.find((mode) => mode === word) ?? 'off']
}

const rank = (mode: IntegrityMode) => integrityModes.indexOf(mode)

/** Declares the setting with the modes of single clients; gives how modes are read. */
export function defineModes(settings: Settings, forAll: ModeForAll): (db: Db) => Promise<Modes> {
  const ofClients = settings.define<ClientModes>({
    key: 'integrity_clients',
    description: spoken('Clients with a mode of their own, by id, such as 12 enforce, 40 off'),
    fallback: new Map(),
    schema: clientModesSchema,
    write: (modes) => [...modes].map(([id, mode]) => `${id} ${mode}`).join(', '),
    async isAsStrict(before, after, tx) {
      const others = await forAll.get(tx)
      return [...new Set([...before.keys(), ...after.keys()])].every(
        (id) => rank(after.get(id) ?? others) >= rank(before.get(id) ?? others),
      )
    },
  })
  return async (db) => {
    const [mode, own] = [await forAll.get(db), await ofClients.get(db)]
    const all = [mode, ...own.values()]
    const isAnyOn = all.some((each) => each !== 'off')
    return { isAnyOn, isAnyEnforced: all.includes('enforce'), of: (clientId) => own.get(clientId) ?? mode }
  }
}

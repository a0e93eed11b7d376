// Settings that can change while the gateway runs: typed values with defaults, stored as text in one table.
import type { z } from 'zod'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Audit, AuditActor } from '../../audit/index.ts'
import type { Db } from '../../platform/db.ts'
import { checkSeen } from '../../platform/refusals.ts'
import { lockSettings, readSetting, readSettings, writeSetting } from './store.ts'

/** The declaration of a setting by its slice. */
interface SettingKind<T> {
  /** snake_case, as in `PUT /api/admin/settings/{key}`. */
  readonly key: string
  /** One sentence for the settings page. */
  readonly description: string
  readonly fallback: T
  /** Parses the text that a person entered or the table contains. */
  readonly schema: z.ZodType<T, string>
  /** Formats a value; defaults to `String`. */
  readonly write?: (value: T) => string
  /** Throws a Refusal when this person may not set this value now. */
  readonly refuse?: (tx: Db, value: T, actor: AuditActor) => Promise<void>
}

/** A declared setting. */
export interface Setting<T> {
  readonly key: string
  /** The current value, or the fallback when it is not set. Reads one indexed row of the database. */
  get(db: Db): Promise<T>
}

export interface SettingView {
  readonly key: string
  readonly value: string
  readonly description: string
  /** Null while it has its fallback. */
  readonly updatedAt: Date | null
}

export interface Settings {
  /** Declares a setting. Throws when the key is taken. */
  define<T>(kind: SettingKind<T>): Setting<T>
  /** All declared settings by key. */
  list(db: Db): Promise<SettingView[]>
  /** Locks all settings against changes until the transaction ends; {@link Settings.put} does so itself. */
  lock(tx: Db): Promise<void>
  /**
   * Sets a value and audits it. Throws Refusal not_found for a key that is not declared, invalid (with
   * `fields.settingValue`) for a value that its schema refuses, and stale when the value is not `seen` any more.
   */
  put(
    tx: Db,
    key: string,
    text: string,
    by: { actor: AuditActor; ip: string },
    seen?: string,
  ): Promise<SettingView>
}

interface DeclaredSetting {
  readonly key: string
  readonly description: string
  readonly fallbackText: string
  /** The text in its normal form, or why it is refused. */
  normalise(text: string): Normalised | { fault: string }
}

interface Normalised {
  readonly text: string
  readonly refuse: (tx: Db, actor: AuditActor) => Promise<void>
}

function declare<T>(kind: SettingKind<T>): DeclaredSetting {
  const write = kind.write ?? String
  return {
    key: kind.key,
    description: kind.description,
    fallbackText: write(kind.fallback),
    normalise(text) {
      const result = kind.schema.safeParse(text.trim())
      if (result.success)
        return {
          text: write(result.data),
          refuse: async (tx, actor) => kind.refuse?.(tx, result.data, actor),
        }
      return { fault: result.error.issues[0]?.message ?? 'Not a valid value' }
    },
  }
}

/** Builds the registry of settings. */
export function createSettings(audit: Pick<Audit, 'record'>): Settings {
  const declared = new Map<string, DeclaredSetting>()
  return {
    define(kind) {
      if (declared.has(kind.key)) throw new Error(`The setting ${kind.key} is declared twice`)
      declared.set(kind.key, declare(kind))
      return {
        key: kind.key,
        async get(db) {
          const row = await readSetting(db, kind.key)
          if (row === undefined) return kind.fallback
          // A value that only an earlier version accepted: the fallback is safe, an error would stop the traffic.
          const result = kind.schema.safeParse(row.value)
          return result.success ? result.data : kind.fallback
        },
      }
    },
    async list(db) {
      const stored = new Map((await readSettings(db)).map((row) => [row.key, row]))
      return [...declared.values()]
        .toSorted((a, b) => (a.key < b.key ? -1 : 1))
        .map(({ key, description, fallbackText }) => {
          const row = stored.get(key)
          return { key, description, value: row?.value ?? fallbackText, updatedAt: row?.updated_at ?? null }
        })
    },
    lock: lockSettings,
    async put(tx, key, text, { actor, ip }, seen) {
      const setting = declared.get(key)
      if (setting === undefined) throw new Refusal('not_found', 'There is no such setting.')
      const normalised = setting.normalise(text)
      if ('fault' in normalised)
        throw new Refusal('invalid', `${key}: ${normalised.fault}`, {
          fields: { settingValue: normalised.fault },
        })
      await lockSettings(tx)
      const before = (await readSetting(tx, key))?.value ?? setting.fallbackText
      checkSeen(seen, before, 'settingValue')
      await normalised.refuse(tx, actor)
      const row = await writeSetting(tx, key, normalised.text, actor.userId)
      await audit.record(tx, {
        actor,
        ip,
        action: 'setting.change',
        objectType: 'setting',
        objectId: key,
        before: { value: before },
        after: { value: normalised.text },
      })
      return { key, description: setting.description, value: row.value, updatedAt: row.updated_at }
    },
  }
}

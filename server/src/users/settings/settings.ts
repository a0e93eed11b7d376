// What the gateway's owner may set while it runs: typed values with defaults, kept as text in one table.
import type { z } from 'zod'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Audit, AuditActor } from '../../audit/index.ts'
import type { Db } from '../../platform/db.ts'
import { checkSeen } from '../../platform/refusals.ts'
import { lockSettings, readSetting, readSettings, writeSetting } from './store.ts'

/** What a slice declares about a setting of its own. */
export interface SettingKind<T> {
  /** snake_case, as in `PUT /api/admin/settings/{key}`. */
  readonly key: string
  /** One sentence for the settings page. */
  readonly description: string
  readonly fallback: T
  /** Reads the text that a person entered or the table holds. */
  readonly schema: z.ZodType<T, string>
  /** The text of a value; `String` unless given. */
  readonly write?: (value: T) => string
  /** Throws a Refusal where this person may not set this value now. */
  readonly refuse?: (tx: Db, value: T, actor: AuditActor) => Promise<void>
}

/** A declared setting. */
export interface Setting<T> {
  readonly key: string
  /** The value now; the fallback when nobody has set it. Reads the database: one indexed row. */
  get(db: Db): Promise<T>
}

export interface SettingView {
  readonly key: string
  readonly value: string
  readonly description: string
  /** Null when it still has its fallback. */
  readonly updatedAt: Date | null
}

export interface Settings {
  /** Declares a setting. Throws when the key is taken. */
  define<T>(kind: SettingKind<T>): Setting<T>
  /** All declared settings by key. */
  list(db: Db): Promise<SettingView[]>
  /** Lets nobody else change a setting until the transaction ends; {@link Settings.put} does so by itself. */
  lock(tx: Db): Promise<void>
  /**
   * Sets a value and records it in the audit log. Throws Refusal not_found for a key nobody declared and invalid, with
   * `fields.settingValue`, for a value its schema does not take; stale when `seen` is given and no longer holds.
   */
  put(
    tx: Db,
    key: string,
    text: string,
    by: { actor: AuditActor; ip: string },
    seen?: string,
  ): Promise<SettingView>
}

interface Declared {
  readonly key: string
  readonly description: string
  readonly fallbackText: string
  /** The text in its one written form, or why it cannot be taken. */
  normalise(text: string): Normalised | { fault: string }
}

interface Normalised {
  readonly text: string
  readonly refuse: (tx: Db, actor: AuditActor) => Promise<void>
}

function declare<T>(kind: SettingKind<T>): Declared {
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

/** Builds the registry that every slice declares its settings in. */
export function createSettings(audit: Pick<Audit, 'record'>): Settings {
  const declared = new Map<string, Declared>()
  return {
    define(kind) {
      if (declared.has(kind.key)) throw new Error(`The setting ${kind.key} is declared twice`)
      declared.set(kind.key, declare(kind))
      return {
        key: kind.key,
        async get(db) {
          const row = await readSetting(db, kind.key)
          if (row === undefined) return kind.fallback
          // A value that an earlier version took and this one does not: the fallback is safe, an error would stop traffic.
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

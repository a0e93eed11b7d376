// Settings that can change while the gateway runs: typed values with defaults, stored as text in one table.
import { z } from 'zod'
import { settingFault } from '@tollgate/contract/settings/setting-names.ts'
import { sentence, spoken, type Words } from '@tollgate/contract/sentences.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { faultOf, schemaMessage } from '@tollgate/contract/schema-messages.ts'
import type { SettingChangeAction } from '@tollgate/contract/vocabulary.ts'
import type { Audit, AuditActor } from '../audit/index.ts'
import type { Db } from '../platform/db.ts'
import type { Clock } from '../platform/clock.ts'
import { checkSeen } from '../platform/refusals.ts'
import {
  createChanges,
  type BegunBy,
  type Changes,
  type ChangeParts,
  type PendingChange,
  type SettingPerson,
} from './changes.ts'
import type { MailParts } from './change-mails.ts'
import { lockSettings, readSetting, readSettings, writeSetting, type SettingRow } from './store.ts'

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
  /**
   * Only for a setting that guards money: whether `value` guards it at least as well as `before`. Such a value is set at
   * once; any other one needs a second admin and begins after a wait (decision 58).
   */
  readonly isAsStrict?: (before: T, value: T, tx: Db) => boolean | Promise<boolean>
  /** Called in the transaction in which a value comes into force. */
  readonly begun?: (tx: Db, value: T, persons: BegunBy) => Promise<void>
}

/** Values that guard money and that each object has one of, as the terms of a client; kept by their slice. */
interface GuardedKind {
  /** Their changes have keys as `terms.7`. */
  readonly name: string
  /** What audit entries about them are about. */
  readonly objectType: string
  /** The text in force of an object. */
  readonly read: (tx: Db, id: string) => Promise<string>
  readonly write: (tx: Db, id: string, text: string, by: BegunBy) => Promise<void>
  /** As {@link SettingKind.isAsStrict}, of texts in their normal form. */
  readonly isAsStrict: (before: string, text: string) => boolean
}

/** Changes of {@link GuardedKind}: one that loosens waits as that of a setting does. */
export interface Guarded {
  /** The texts are in their normal form. Throws Refusal wrong_state while another change of the object waits. */
  put(tx: Db, id: string, text: string, by: SettingPerson): Promise<void>
  /** Throws Refusal wrong_state when no change waits, or the caller who approves asked for it. */
  decide(tx: Db, id: string, action: SettingChangeAction, by: SettingPerson): Promise<void>
  pending(db: Db, id: string): Promise<PendingChange | undefined>
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
  readonly fallback: string
  /** Null while it has its fallback. */
  readonly updatedAt: Date | null
  /** The login name of who changed it; empty while it has its fallback. */
  readonly updatedBy: string
  /** A change that waits; undefined for none. */
  readonly pending?: PendingChange | undefined
}

export interface Settings {
  /** Declares a setting. Throws when the key is taken. */
  define<T>(kind: SettingKind<T>): Setting<T>
  /** Declares values that guard money and that objects of one kind have. Throws when the name is taken. */
  guard(kind: GuardedKind): Guarded
  /** All declared settings by key. */
  list(db: Db): Promise<SettingView[]>
  /** Locks all settings against changes until the transaction ends; {@link Settings.put} does so itself. */
  lock(tx: Db): Promise<void>
  /**
   * Sets a value and audits it; a change that must wait is only noted, and approved when a second admin puts the same
   * value. Throws Refusal not_found for a key that is not declared, invalid (with `fields.settingValue`) for a value that
   * its schema refuses, stale when the value is not `seen` any more, and wrong_state while another change waits.
   */
  put(tx: Db, key: string, text: string, by: SettingPerson, seen?: string): Promise<SettingView>
  /**
   * A second admin approves the change that waits, or any admin cancels it. Throws Refusal not_found for a key that is
   * not declared, and wrong_state when no change waits or the caller asked for it.
   */
  decide(tx: Db, key: string, action: SettingChangeAction, by: SettingPerson): Promise<SettingView>
  /** Sets the values of changes whose wait is over, as the job does each second. */
  beginDue(db: Db): Promise<void>
}

export interface SettingsParts {
  readonly audit: Pick<Audit, 'record'>
  readonly clock: Clock
  readonly mail?: MailParts['mail']
  readonly consoleUrl?: string | undefined
}

interface DeclaredSetting {
  readonly key: string
  readonly description: string
  readonly fallbackText: string
  /** The text in its normal form, or why it is refused. */
  normalise(text: string): Normalised | { fault: Words }
  begun(tx: Db, text: string, persons: BegunBy): Promise<void>
}

interface Normalised {
  readonly text: string
  readonly refuse: (tx: Db, actor: AuditActor) => Promise<void>
  /** Whether it may be set at once in place of this stored text. */
  readonly mayReplace: (tx: Db, before: string) => Promise<boolean>
}

function declare<T>(kind: SettingKind<T>): DeclaredSetting {
  const write = kind.write ?? String
  const { isAsStrict } = kind
  const valueOf = (text: string) => {
    const stored = kind.schema.safeParse(text)
    return stored.success ? stored.data : kind.fallback
  }
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
          mayReplace: async (tx, before) =>
            isAsStrict === undefined || isAsStrict(valueOf(before), result.data, tx),
        }
      const [issue] = result.error.issues
      return { fault: issue === undefined ? 'Not a valid value' : faultOf(issue) }
    },
    begun: async (tx, text, persons) => kind.begun?.(tx, valueOf(text), persons),
  }
}

const toView = (
  { key, description, fallbackText }: DeclaredSetting,
  row: SettingRow | undefined,
  pending: PendingChange | undefined,
): SettingView => ({
  key,
  description,
  fallback: fallbackText,
  value: row?.value ?? fallbackText,
  updatedAt: row?.updated_at ?? null,
  updatedBy: row?.updated_by ?? '',
  pending,
})

/** Builds the registry of settings. */
export function createSettings(parts: SettingsParts): Settings {
  const declared = new Map<string, DeclaredSetting>()
  const find = (key: string): DeclaredSetting => {
    const setting = declared.get(key)
    if (setting === undefined) throw new Refusal('not_found', 'There is no such setting.')
    return setting
  }
  const guarded = new Map<string, GuardedKind>()
  const { valueOf, ...writer } = valuesByKey(guarded, find)
  async function putChange(tx: Db, change: TextChange, isAsStrict: boolean, by: SettingPerson) {
    if (isAsStrict) await setNow(tx, changes, { ...writer, audit: parts.audit }, change, by)
    else await changes.requestOrApprove(tx, change, by)
  }
  const view = async (tx: Db, key: string): Promise<SettingView> =>
    toView(find(key), await readSetting(tx, key), (await changes.list(tx)).get(key))
  const settings: Settings = {
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
    guard(kind) {
      if (guarded.has(kind.name)) throw new Error(`The values ${kind.name} are declared twice`)
      guarded.set(kind.name, kind)
      return guardedOf(kind, () => changes, putChange)
    },
    async list(db) {
      const stored = new Map((await readSettings(db)).map((row) => [row.key, row]))
      const waiting = await changes.list(db)
      return [...declared.values()]
        .toSorted((a, b) => (a.key < b.key ? -1 : 1))
        .map((setting) => toView(setting, stored.get(setting.key), waiting.get(setting.key)))
    },
    lock: lockSettings,
    async put(tx, key, text, by, seen) {
      const setting = find(key)
      const normalised = setting.normalise(text)
      if ('fault' in normalised)
        throw new Refusal('invalid', settingFault(key, normalised.fault), {
          fields: { settingValue: normalised.fault },
        })
      await lockSettings(tx)
      const before = await valueOf(tx, key)
      checkSeen(seen, before, 'settingValue')
      await normalised.refuse(tx, by.actor)
      const change = { key, before, value: normalised.text }
      await putChange(tx, change, await normalised.mayReplace(tx, before), by)
      return view(tx, key)
    },
    async decide(tx, key, action, by) {
      find(key)
      await lockSettings(tx)
      await changes.decide(tx, key, action, by)
      return view(tx, key)
    },
    beginDue: (db) => changes.beginDue(db),
  }
  const waitHours = defineWait(settings)
  const changes = createChanges({ ...parts, ...writer, waitHours: (tx) => waitHours.get(tx), valueOf })
  return settings
}

/** Reads and writes the text of a key: of a setting, or of an object as `terms.7`. */
function valuesByKey(
  guarded: ReadonlyMap<string, GuardedKind>,
  find: (key: string) => DeclaredSetting,
): Pick<ChangeParts, 'valueOf' | 'write' | 'objectOf'> {
  const objectValue = (key: string) => {
    const [name = '', id = ''] = key.split('.')
    const kind = guarded.get(name)
    return kind && { kind, id }
  }
  return {
    async valueOf(tx, key) {
      const value = objectValue(key)
      if (value !== undefined) return value.kind.read(tx, value.id)
      return (await readSetting(tx, key))?.value ?? find(key).fallbackText
    },
    async write(tx, key, text, by) {
      const value = objectValue(key)
      if (value !== undefined) return value.kind.write(tx, value.id, text, by)
      await writeSetting(tx, key, text, by.requestedBy)
      await find(key).begun(tx, text, by)
    },
    objectOf(key) {
      const value = objectValue(key)
      return value === undefined
        ? { objectType: 'setting', objectId: key }
        : { objectType: value.kind.objectType, objectId: value.id }
    },
  }
}

function guardedOf(
  kind: GuardedKind,
  changes: () => Changes,
  putChange: (tx: Db, change: TextChange, isAsStrict: boolean, by: SettingPerson) => Promise<void>,
): Guarded {
  const keyOf = (id: string) => `${kind.name}.${id}`
  return {
    async put(tx, id, text, by) {
      await lockSettings(tx)
      const before = await kind.read(tx, id)
      await putChange(tx, { key: keyOf(id), before, value: text }, kind.isAsStrict(before, text), by)
    },
    async decide(tx, id, action, by) {
      await lockSettings(tx)
      await changes().decide(tx, keyOf(id), action, by)
    },
    pending: async (db, id) => (await changes().list(db)).get(keyOf(id)),
  }
}

/** How long a change that loosens the rules for payments waits. */
function defineWait(settings: Pick<Settings, 'define'>): Setting<number> {
  return settings.define<number>({
    key: 'setting_wait_hours',
    description: spoken(
      'Hours before a change that loosens the rules for payments begins, once a second admin has approved it',
    ),
    fallback: 24,
    schema: z
      .string()
      .regex(/^\d{1,3}$/, 'Enter a whole number')
      .transform(Number)
      .refine((value) => value <= 720, schemaMessage(sentence('At most {limit}', { limit: '720' }))),
    isAsStrict: (before, value) => value >= before,
  })
}

type ChangeWriter = Pick<ChangeParts, 'write' | 'objectOf'>

interface TextChange {
  readonly key: string
  /** The text in force. */
  readonly before: string
  readonly value: string
}

/** Writes the value. A change that waits would undo it later, so it is cancelled. */
async function setNow(
  tx: Db,
  changes: Changes,
  { audit, write, objectOf }: ChangeWriter & Pick<SettingsParts, 'audit'>,
  { key, before, value }: TextChange,
  { actor, ip }: SettingPerson,
): Promise<void> {
  if (value !== before) await changes.cancelWaiting(tx, key, { actor, ip })
  await write(tx, key, value, { requestedBy: actor.userId, approvedBy: null })
  await audit.record(tx, {
    actor,
    ip,
    action: 'setting.change',
    ...objectOf(key),
    before: { value: before },
    after: { value },
  })
}

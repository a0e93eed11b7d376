// Settings of screens: saved views, columns, what was dismissed. They stand in this browser, and with the account of a
// signed-in person, so that every browser of that person has them.
import { useCallback, useMemo, useSyncExternalStore } from 'react'

/** Keeps the text of one setting with the account; an empty text forgets it. */
export type KeepSetting = (name: string, text: string) => void

const prefix = 'tollgate.setting.'
const ownerKey = 'tollgate.settings-of'
const listeners = new Set<() => void>()
// For this visit, when the browser stores nothing.
const unstored = new Map<string, string>()
// The names of what was chosen while the account is open.
const chosen = new Set<string>()
let keepWithAccount: KeepSetting | undefined

function textOf(key: string): string {
  try {
    return localStorage.getItem(key) ?? unstored.get(key) ?? ''
  } catch {
    return unstored.get(key) ?? ''
  }
}

function store(key: string, text: string): void {
  try {
    if (text === '') localStorage.removeItem(key)
    else localStorage.setItem(key, text)
    unstored.delete(key)
  } catch {
    // Storage is full or blocked.
    unstored.set(key, text)
  }
}

function storedKeys(): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix))
  } catch {
    return []
  }
}

/** Begins the settings of a person: those that another one left in this browser are removed, each change is kept. */
export function openSettings(userId: number, keep: KeepSetting): void {
  if (textOf(ownerKey) !== String(userId)) for (const key of storedKeys()) store(key, '')
  store(ownerKey, String(userId))
  keepWithAccount = keep
  for (const listener of listeners) listener()
}

/** Takes what stands with the account, except what was chosen here since it opened: that is newer. */
export function takeSettings(settings: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(settings)) if (!chosen.has(name)) store(prefix + name, text)
  for (const listener of listeners) listener()
}

/** Keeps settings in this browser alone, until somebody signs in. */
export function closeSettings(): void {
  keepWithAccount = undefined
  chosen.clear()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The setting of this name. A value that fails `isValid` counts as missing. */
export function useScreenSetting<T>(
  name: string,
  fallback: T,
  isValid: (value: unknown) => value is T,
): [T, (value: T) => void] {
  const text = useSyncExternalStore(subscribe, () => textOf(prefix + name))
  const value = useMemo(() => {
    try {
      const kept: unknown = JSON.parse(text === '' ? 'null' : text)
      return isValid(kept) ? kept : fallback
    } catch {
      // Somebody edited the storage.
      return fallback
    }
  }, [text, fallback, isValid])
  const set = useCallback(
    (next: T) => {
      const written = JSON.stringify(next)
      store(prefix + name, written)
      if (keepWithAccount !== undefined) chosen.add(name)
      keepWithAccount?.(name, written)
      for (const listener of listeners) listener()
    },
    [name],
  )
  return [value, set]
}

/** For `isValid` of {@link useScreenSetting}. */
export function isString(value: unknown): value is string {
  return typeof value === 'string'
}

/** For switches. */
export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

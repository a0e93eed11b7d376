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

/**
 * Takes the settings of the account that is signed in. Those that another person left in this browser are removed. From
 * now on `keep` is called for each change.
 */
export function connectSettings(
  userId: number,
  settings: Readonly<Record<string, string>>,
  keep: KeepSetting,
): void {
  if (textOf(ownerKey) !== String(userId)) for (const key of storedKeys()) store(key, '')
  store(ownerKey, String(userId))
  for (const [name, text] of Object.entries(settings)) store(prefix + name, text)
  keepWithAccount = keep
  for (const listener of listeners) listener()
}

/** Keeps settings in this browser alone, until somebody signs in. */
export function disconnectSettings(): void {
  keepWithAccount = undefined
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
      keepWithAccount?.(name, written)
      for (const listener of listeners) listener()
    },
    [name],
  )
  return [value, set]
}

/** For `isValid` of {@link useScreenSetting}. */
export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

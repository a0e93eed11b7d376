import { useCallback, useState } from 'react'

function read<T>(key: string, fallback: T, isValid: (value: unknown) => value is T): T {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? 'null')
    return isValid(kept) ? kept : fallback
  } catch {
    // Storage is blocked or its content broken: use the fallback.
    return fallback
  }
}

/** State kept in this browser under `tollgate.<name>`. A value that fails `isValid` counts as missing. */
export function useLocalStorage<T>(
  name: string,
  fallback: T,
  isValid: (value: unknown) => value is T,
): [T, (value: T) => void] {
  const key = `tollgate.${name}`
  const [value, setValue] = useState(() => read(key, fallback, isValid))
  const keep = useCallback(
    (next: T) => {
      setValue(next)
      try {
        localStorage.setItem(key, JSON.stringify(next))
      } catch {
        // Storage full or blocked: the choice holds for this visit.
      }
    },
    [key],
  )
  return [value, keep]
}

/** For `isValid` of {@link useLocalStorage}. */
export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

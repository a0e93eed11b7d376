import { useEffect, useEffectEvent, useState } from 'react'

/**
 * A text field that reports after a pause in typing: `[text, setText]`. When `value` changes from outside (Reset,
 * Back), the field follows.
 */
export function useDebounced(
  value: string,
  onPause: (text: string) => void,
  pauseMs = 300,
): [string, (text: string) => void] {
  const [text, setText] = useState(value)
  const [seen, setSeen] = useState(value)
  const [reported, setReported] = useState(value)
  if (seen !== value) {
    setSeen(value)
    // The field's own report must not overwrite what was typed since.
    if (value !== reported) setText(value)
  }
  const report = useEffectEvent(onPause)
  useEffect(() => {
    if (text === value) return undefined
    const timer = setTimeout(() => {
      setReported(text)
      report(text)
    }, pauseMs)
    return () => clearTimeout(timer)
  }, [text, value, pauseMs])
  return [text, setText]
}

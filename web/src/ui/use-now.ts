import { useEffect, useState } from 'react'

/** The current time in ms, updated every `everyMs`, for ages and clocks. */
export function useNow(everyMs = 1_000): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    // Aligned to the full second, so that the clock is never late.
    let timer: ReturnType<typeof setTimeout>
    const tick = () => {
      setNow(Date.now())
      timer = setTimeout(tick, everyMs - (Date.now() % everyMs))
    }
    timer = setTimeout(tick, everyMs - (Date.now() % everyMs))
    return () => clearTimeout(timer)
  }, [everyMs])
  return now
}

import { expect, test, vi } from 'vitest'
import { registry } from '../../platform/metrics.ts'
import { measured } from './lag.ts'

const lagOf = async (follower: string) => {
  const text = await registry.metrics()
  const found = new RegExp(`^tollgate_log_lag_seconds\\{follower="${follower}"\\} (\\S+)`, 'm').exec(
    text,
  )?.[1]
  return found === undefined ? undefined : Math.round(Number(found))
}

test('a follower that has more to do, or fails, falls behind until it is at the end; one that has stopped is left out', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const step = (isMore: boolean) => measured('senders', async () => ({ isMore }))
    await step(false)
    vi.advanceTimersByTime(20_000)
    await step(true)
    expect(await lagOf('senders')).toBe(20)
    vi.advanceTimersByTime(20_000)
    await measured('senders', () => Promise.reject(new Error('away'))).catch(() => undefined)
    expect(await lagOf('senders')).toBe(40)
    await step(false)
    expect(await lagOf('senders')).toBe(0)
    vi.advanceTimersByTime(90_000)
    expect(await lagOf('senders')).toBeUndefined()
  } finally {
    vi.useRealTimers()
  }
})

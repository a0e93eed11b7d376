// A live feed that a test controls, instead of the browser's EventSource.
import { act } from '@testing-library/react'
import { vi } from 'vitest'

/** Stubs EventSource for this test: `open()` connects, `send('record', record)` sends an event. */
export function stubFeed() {
  const sources = new Set<EventTarget>()
  class TestFeed extends EventTarget {
    readonly readyState = 1
    constructor() {
      super()
      sources.add(this)
    }
    close() {
      sources.delete(this)
    }
  }
  vi.stubGlobal('EventSource', TestFeed)
  const dispatch = (event: () => Event) =>
    act(() => {
      for (const source of sources) source.dispatchEvent(event())
    })
  return {
    open: () => dispatch(() => new Event('open')),
    send: (name: string, payload: unknown) =>
      dispatch(() => new MessageEvent(name, { data: JSON.stringify(payload) })),
  }
}

// Runs before every file of web tests: a browser without network, with empty storage, no toast and no tooltip.
import { cleanup, configure } from '@testing-library/react'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { setReaderFormats } from '../language/reader.ts'
import { clearToast } from '../ui/toasts.ts'
import { clearTooltips } from '../ui/tooltips.ts'
import { sentUnknownFields } from './known-fields.ts'

// The limit for an element that never appears. One second is too short for a large page on a slow machine.
configure({ asyncUtilTimeout: 10_000 })

class StillObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}

/** A live feed without events. */
class SilentFeed extends EventTarget {
  readonly readyState = 0
  close() {}
}

beforeEach(() => {
  vi.stubGlobal('EventSource', SilentFeed)
  vi.stubGlobal('ResizeObserver', StillObserver)
  // A call that no test expects must fail instead of reaching a server.
  vi.stubGlobal('fetch', (input: string | URL | Request) => {
    throw new Error(`Unexpected call to ${input instanceof Request ? input.url : String(input)}`)
  })
  localStorage.clear()
})

afterEach(() => {
  cleanup()
  clearToast()
  clearTooltips()
  setReaderFormats()
  vi.unstubAllGlobals()
  // The server refuses a call with a field that its route does not know.
  expect(sentUnknownFields.splice(0)).toEqual([])
})

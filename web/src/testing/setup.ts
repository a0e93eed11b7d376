// Runs before every file of web tests: a browser without network, storage from scratch, no toast left over.
import { cleanup, configure } from '@testing-library/react'
import { afterEach, beforeEach, vi } from 'vitest'
import { clearToast } from '../ui/toasts.ts'

// Ends what never appears; a second is too little for a large page on a slow machine.
configure({ asyncUtilTimeout: 10_000 })

class StillObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}

/** A live feed on which nothing happens. */
class SilentFeed extends EventTarget {
  readonly readyState = 0
  close() {}
}

beforeEach(() => {
  vi.stubGlobal('EventSource', SilentFeed)
  vi.stubGlobal('ResizeObserver', StillObserver)
  // A call that no test expects must fail it instead of reaching for a server.
  vi.stubGlobal('fetch', (input: string | URL | Request) => {
    throw new Error(`Unexpected call to ${input instanceof Request ? input.url : String(input)}`)
  })
  localStorage.clear()
})

afterEach(() => {
  cleanup()
  clearToast()
  vi.unstubAllGlobals()
})

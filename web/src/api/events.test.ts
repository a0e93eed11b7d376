import { describe, expect, test, vi } from 'vitest'
import { Feed } from './events.ts'

class FakeSource extends EventTarget {
  readyState = 0
  isClosed = false
  readonly url: string
  constructor(url: string) {
    super()
    this.url = url
  }
  close() {
    this.isClosed = true
  }
  send(event: string, data: unknown, lastEventId = '') {
    this.dispatchEvent(new MessageEvent(event, { data: JSON.stringify(data), lastEventId }))
  }
}

function setUp() {
  const sources: FakeSource[] = []
  let nowMs = 5_000
  let isHidden = false
  let turn = () => {}
  let changeNetwork = () => {}
  const onRefused = vi.fn()
  const feed = new Feed({
    open: (url) => {
      const source = new FakeSource(url)
      sources.push(source)
      return source as unknown as EventSource
    },
    isHidden: () => isHidden,
    now: () => nowMs,
    onVisibility: (listener) => {
      turn = listener
    },
    onNetwork: (listener) => {
      changeNetwork = listener
    },
    onRefused,
  })
  const hide = (hidden: boolean) => {
    isHidden = hidden
    turn()
  }
  const pass = (ms: number) => {
    nowMs += ms
  }
  /** Both clocks go on: the one on the wall and the one of the timers. */
  const wait = (ms: number) => {
    pass(ms)
    vi.advanceTimersByTime(ms)
  }
  return { feed, sources, hide, pass, wait, onRefused, changeNetwork: () => changeNetwork() }
}

describe('the live feed', () => {
  test('opens for the first listener, is shared by the next, closes after the last', () => {
    const { feed, sources } = setUp()
    const stopFirst = feed.on('record', () => {})
    const stopSecond = feed.on('hold', () => {})
    expect(sources).toHaveLength(1)
    stopFirst()
    expect(sources[0]!.isClosed).toBe(false)
    stopSecond()
    expect(sources[0]!.isClosed).toBe(true)
  })

  test('gives each event to its own listeners and says when it last heard', () => {
    const { feed, sources } = setUp()
    const record = vi.fn()
    const hold = vi.fn()
    feed.on('record', record)
    feed.on('hold', hold)
    sources[0]!.send('record', { id: '7' }, 'e1')
    expect(record).toHaveBeenCalledWith({ id: '7' })
    expect(hold).not.toHaveBeenCalled()
    expect(feed.state()).toEqual({ state: 'live', lastAt: 5_000 })
  })

  test('a burst reaches its listeners event by event, and watchers of its state once', () => {
    const { feed, sources, pass } = setUp()
    const record = vi.fn()
    const watcher = vi.fn()
    feed.on('record', record)
    feed.watch(watcher)
    for (let id = 0; id < 100; id += 1) {
      pass(1)
      sources[0]!.send('record', { id })
    }
    expect(record).toHaveBeenCalledTimes(100)
    expect(watcher).toHaveBeenCalledOnce()
  })

  test('pauses in a hidden tab and resumes after the last event heard', () => {
    const { feed, sources, hide } = setUp()
    feed.on('record', () => {})
    sources[0]!.send('record', {}, 'e 9')
    hide(true)
    expect(sources[0]!.isClosed).toBe(true)
    expect(feed.state().state).toBe('paused')
    hide(false)
    expect(sources[1]!.url).toBe('/api/events?lastEventId=e%209')
  })

  test('says it reconnects, and opens again when the browser gave up', () => {
    vi.useFakeTimers()
    const { feed, sources, onRefused } = setUp()
    feed.on('record', () => {})
    sources[0]!.dispatchEvent(new Event('open'))
    sources[0]!.dispatchEvent(new Event('error'))
    expect(feed.state()).toEqual({ state: 'reconnecting', lastAt: 5_000 })
    expect(sources).toHaveLength(1)
    sources[0]!.readyState = 2
    sources[0]!.dispatchEvent(new Event('error'))
    expect(onRefused).toHaveBeenCalledOnce()
    vi.advanceTimersByTime(3_000)
    expect(sources).toHaveLength(2)
    vi.useRealTimers()
  })

  test('a server that falls silent is noticed within 15 s, said once it is certain, and heard again', () => {
    vi.useFakeTimers()
    const { feed, sources, wait } = setUp()
    feed.watch(() => {})
    sources[0]!.dispatchEvent(new Event('open'))
    wait(5_000)
    sources[0]!.send('heartbeat', {})
    expect(feed.state()).toEqual({ state: 'live', lastAt: 10_000 })
    wait(10_000)
    expect(feed.state().state).toBe('reconnecting')
    expect(sources[0]!.isClosed).toBe(true)
    expect(feed.staleSince()).toBeUndefined()
    wait(2_000)
    expect(feed.staleSince()).toBe(10_000)
    expect(sources).toHaveLength(2)
    sources[1]!.dispatchEvent(new Event('open'))
    expect(feed.staleSince()).toBeUndefined()
    expect(feed.state()).toEqual({ state: 'live', lastAt: 22_000 })
    feed.reset()
    vi.useRealTimers()
  })

  test('after a sleep the page is old at once, since the last word before it, until the server is heard', () => {
    vi.useFakeTimers()
    const { feed, sources, pass, wait } = setUp()
    feed.watch(() => {})
    sources[0]!.dispatchEvent(new Event('open'))
    wait(4_000)
    // The machine sleeps: the wall's clock goes on, the timers stand.
    pass(3_600_000)
    expect(feed.staleSince()).toBeUndefined()
    vi.advanceTimersByTime(1_000)
    expect(feed.staleSince()).toBe(5_000)
    expect(sources[0]!.isClosed).toBe(true)
    sources[1]!.dispatchEvent(new Event('open'))
    expect(feed.staleSince()).toBeUndefined()
    expect(feed.state().state).toBe('live')
    feed.reset()
    vi.useRealTimers()
  })

  test('a clock that was set back hides no silence', () => {
    vi.useFakeTimers()
    const { feed, sources, pass, wait } = setUp()
    feed.watch(() => {})
    sources[0]!.dispatchEvent(new Event('open'))
    pass(-3_600_000)
    for (let second = 0; second < 13; second += 1) wait(1_000)
    expect(feed.staleSince()).toBeDefined()
    feed.reset()
    vi.useRealTimers()
  })

  test('asks at once when the network goes or comes, and believes the answer', () => {
    vi.useFakeTimers()
    const { feed, sources, wait, changeNetwork } = setUp()
    feed.watch(() => {})
    sources[0]!.dispatchEvent(new Event('open'))
    changeNetwork()
    expect(sources[0]!.isClosed).toBe(true)
    // A gateway on this machine answers without a network.
    sources[1]!.dispatchEvent(new Event('open'))
    expect(feed.state().state).toBe('live')
    changeNetwork()
    sources[2]!.dispatchEvent(new Event('error'))
    expect(feed.state().state).toBe('reconnecting')
    for (let second = 0; second < 12; second += 1) wait(1_000)
    expect(feed.staleSince()).toBe(5_000)
    changeNetwork()
    sources.at(-1)!.dispatchEvent(new Event('open'))
    expect(feed.staleSince()).toBeUndefined()
    feed.reset()
    vi.useRealTimers()
  })

  test('a hidden tab asks nobody when the network changes, and is not called old', () => {
    vi.useFakeTimers()
    const { feed, sources, hide, wait, changeNetwork } = setUp()
    feed.watch(() => {})
    sources[0]!.dispatchEvent(new Event('open'))
    hide(true)
    changeNetwork()
    wait(60_000)
    expect(sources).toHaveLength(1)
    expect(feed.staleSince()).toBeUndefined()
    hide(false)
    expect(sources).toHaveLength(2)
    wait(1_000)
    expect(feed.staleSince()).toBe(5_000)
    sources[1]!.dispatchEvent(new Event('open'))
    expect(feed.staleSince()).toBeUndefined()
    feed.reset()
    vi.useRealTimers()
  })

  test("another person's feed does not resume at this one's place", () => {
    const { feed, sources } = setUp()
    feed.on('record', () => {})
    sources[0]!.send('record', {}, 'e1')
    feed.reset()
    expect(sources[1]!.url).toBe('/api/events')
  })
})

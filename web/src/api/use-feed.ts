// The live feed for components.
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import { Feed, type FeedEventName, type FeedState } from './events.ts'
import { sessionEvents } from './session-events.ts'

let shared: Feed | undefined

function feed(): Feed {
  if (shared) return shared
  const made = new Feed()
  sessionEvents.addEventListener('answered', () => made.noteAnswer())
  shared = made
  return made
}

// Stable functions: a new one at each render would close and open the feed again.
const watchFeed = (watcher: () => void) => feed().watch(watcher)
const readState = () => feed().state()
const readStaleSince = () => feed().staleSince()
const readIsLive = () => feed().state().state === 'live'

/** Calls `handler` with the payload of each event while the component is on screen. */
export function useFeed(event: FeedEventName, handler: (payload: unknown) => void): void {
  const receive = useEffectEvent(handler)
  useEffect(() => feed().on(event, (payload) => receive(payload)), [event])
}

/** Whether the feed is live, and when the server last sent something. Opens the feed. */
export function useFeedState(): FeedState {
  return useSyncExternalStore(watchFeed, readState)
}

/** Whether the feed is live. Renders again only when that changes. Opens the feed. */
export function useFeedIsLive(): boolean {
  return useSyncExternalStore(watchFeed, readIsLive)
}

/**
 * When the server was last heard, in ms, if what is on screen may be old; else undefined. Renders again only when that
 * changes. Opens the feed.
 */
export function useStaleSince(): number | undefined {
  return useSyncExternalStore(watchFeed, readStaleSince)
}

/** Starts again after another person has signed in. */
export function resetFeed(): void {
  shared?.reset()
}

// Entry of the live feed slice: records and what becomes of them, as streams for screens and page by page for programs.
export { bindLiveFeedRoutes } from './routes.ts'
export { completedEvent, type StateEvent } from './state-events.ts'
export { LiveFeed } from './live-feed.ts'
export { EventPolls } from './poll-events.ts'
export { StateChannel } from './state-channel.ts'

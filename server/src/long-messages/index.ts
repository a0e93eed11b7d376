// Entry of the long messages slice: records that are segments of one message are joined behind ingest.
export type { LongMessage } from './assign-segments.ts'
export {
  joinBodies,
  partIdsOf,
  viewLongMessage,
  decodeStored,
  presentIds,
  findLongMessage,
  readWhole,
  type WholeMessage,
} from './read-whole.ts'
export { readEnds, messagesById, pruneMessages, type EndOfMessage, type EndedMessage } from './store.ts'
export { LongMessageJoiner, type LongMessageJoinerOptions } from './long-message-joiner.ts'
export { eraseLongMessages } from './erase-sender.ts'
export { defineMessageWait } from './wait-setting.ts'

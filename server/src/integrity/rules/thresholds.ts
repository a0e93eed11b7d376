// The thresholds of all rules: what a hold needs. A flag needs half of the first figure of its rule.

export interface Thresholds {
  readonly block: {
    /** Senders times ten minutes of one block on one day. */
    readonly slots: number
    /** How many times what the block had on its highest day, here or at these numbers, and what most blocks have. */
    readonly timesUsual: number
    /** How many times what nine in ten of today's blocks have at most. */
    readonly timesToday: number
    readonly sendersMin: number
    /** A sender counts at most so often, so that one chatty person makes no block. */
    readonly slotsOfSenderMax: number
  }
  readonly paced: {
    readonly senders: number
    readonly timesUsual: number
    readonly plus: number
    /** Different ten minutes of the day, in so many different hours: a vote is a few minutes. */
    readonly slots: number
    readonly hours: number
  }
  readonly neighbours: {
    readonly senders: number
    /** Pairs in the same hundred, of pairs in the same thousand. By chance it is a tenth, however many write. */
    readonly pairShare: number
    readonly timesUsual: number
  }
  readonly madeUp: {
    /** New senders of one number who wrote in the client's quiet hours only, or are of blocks that nobody knows. */
    readonly senders: number
    /** So many of the busiest quiet hours are not counted: a vote is shorter. */
    readonly voteHours: number
    /** Of those in quiet hours on the number's highest day. */
    readonly timesUsual: number
    /** Of the number's senders, and of what is usual at the client. */
    readonly strangeShare: number
    readonly timesStrange: number
  }
  readonly clockwork: {
    readonly senders: number
    readonly seconds: number
    /** Of those who came back. */
    readonly share: number
  }
  readonly across: { readonly clients: number; readonly messages: number }
  readonly newcomer: {
    readonly share: number
    readonly topSenders: number
    readonly messages: number
    readonly days: number
    /** A client is new so many days. */
    readonly ageDays: number
    readonly messagesOfSender: number
  }
  readonly list: { readonly messages: number }
}

export const standardThresholds: Thresholds = {
  block: { slots: 40, timesUsual: 3, timesToday: 4, sendersMin: 4, slotsOfSenderMax: 12 },
  paced: { senders: 8, timesUsual: 3, plus: 3, slots: 5, hours: 4 },
  neighbours: { senders: 40, pairShare: 0.3, timesUsual: 2.5 },
  madeUp: { senders: 100, voteHours: 1, timesUsual: 4, strangeShare: 0.1, timesStrange: 3 },
  clockwork: { senders: 30, seconds: 180, share: 0.5 },
  across: { clients: 5, messages: 6 },
  newcomer: { share: 0.5, topSenders: 20, messages: 200, days: 7, ageDays: 30, messagesOfSender: 3 },
  list: { messages: 1 },
}

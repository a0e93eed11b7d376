// Which of two versions holds more. What is not certain counts as looser, so that a second person looks at it.
import type { Thresholds } from '../rules/thresholds.ts'

type Direction = 'lower' | 'higher' | 'same'

/**
 * Where a threshold must go to hold at least as much. `same` for a figure that is also in the usual values, which moves
 * both sides of the comparison.
 */
const directions: { readonly [R in keyof Thresholds]: Readonly<Record<keyof Thresholds[R], Direction>> } = {
  block: {
    slots: 'lower',
    timesUsual: 'lower',
    timesToday: 'lower',
    sendersMin: 'lower',
    slotsOfSenderMax: 'same',
  },
  paced: { senders: 'lower', timesUsual: 'lower', plus: 'lower', slots: 'same', hours: 'same' },
  neighbours: { senders: 'lower', pairShare: 'lower', timesUsual: 'lower' },
  madeUp: {
    senders: 'lower',
    voteHours: 'lower',
    timesUsual: 'lower',
    strangeShare: 'lower',
    timesStrange: 'lower',
  },
  clockwork: { senders: 'lower', seconds: 'higher', share: 'lower' },
  across: { clients: 'lower', messages: 'lower' },
  newcomer: {
    share: 'lower',
    topSenders: 'higher',
    messages: 'lower',
    days: 'same',
    ageDays: 'higher',
    messagesOfSender: 'lower',
  },
  list: { messages: 'lower' },
}

/** Whether a version holds whatever the one before held. */
export function isAsStrict(before: Thresholds, after: Thresholds): boolean {
  return Object.entries(directions).every(([rule, figures]) => {
    const [old, next] = [figuresOf(before, rule), figuresOf(after, rule)]
    return Object.entries(figures).every(([name, direction]) => {
      const [one, other] = [old[name] ?? 0, next[name] ?? 0]
      return one === other || (direction === 'lower' ? other < one : direction === 'higher' && other > one)
    })
  })
}

function figuresOf(thresholds: Thresholds, rule: string): Readonly<Record<string, number>> {
  const found = Object.entries(thresholds).find(([name]) => name === rule)
  return found === undefined ? {} : { ...found[1] }
}

// What Prometheus says of alert rules, and which of them are at fault when all is well.

/** The part of Prometheus' answer to /api/v1/rules that is read here. */
export interface RuleReply {
  readonly data: {
    readonly groups: readonly {
      readonly rules: readonly {
        readonly name: string
        /** Its `for:`, in seconds. */
        readonly duration: number
        readonly health: string
        readonly lastError?: string
        readonly alerts: readonly { readonly activeAt: string; readonly labels: Record<string, string> }[]
      }[]
    }[]
  }
}

export interface AlertRule {
  readonly name: string
  readonly forSeconds: number
  /** Since when it holds; undefined when it does not. */
  readonly since: Date | undefined
  /** Why it could not be evaluated. */
  readonly error: string | undefined
}

export interface RuleFault {
  readonly text: string
  /** The rule says nothing but that the machine is slow. */
  readonly isOfTime: boolean
}

/** On a machine that does much else these say what it is. */
const rulesOfTime = new Set(['TollgateCommitsSlow', 'TollgateThreadBlocked'])
// Such rules look at hours, of which some minutes say nothing: a disk that is full in four days, a certificate.
const foreseenMaxSeconds = 1_800

/** Without what they say of this connection. */
export function rulesOf({ data }: RuleReply, exceptConnection: string): AlertRule[] {
  return data.groups
    .flatMap(({ rules }) => rules)
    .map(({ name, duration, health, lastError, alerts }) => {
      const since = alerts
        .filter(({ labels }) => labels['connection'] !== exceptConnection)
        .map(({ activeAt }) => new Date(activeAt))
        .toSorted((a, b) => Number(a) - Number(b))
      return {
        name,
        forSeconds: duration,
        since: since[0],
        error: health === 'ok' ? undefined : `${health} ${lastError ?? ''}`.trim(),
      }
    })
}

/**
 * A rule is at fault when it fired, when it could not be evaluated, and when it held without a pause for the second half
 * of the time: had it been watched for longer, it would have fired. Not so one of time, which looks back at a busy start.
 */
export function faultsOf(
  rules: readonly AlertRule[],
  fired: readonly string[],
  { startedAtMs, endedAtMs }: { readonly startedAtMs: number; readonly endedAtMs: number },
): RuleFault[] {
  const halfMs = (startedAtMs + endedAtMs) / 2
  return rules.flatMap(({ name, forSeconds, since, error }) => {
    const isOfTime = rulesOfTime.has(name)
    if (error !== undefined) return [{ text: `${name} could not be evaluated: ${error}`, isOfTime: false }]
    if (fired.includes(name)) return [{ text: `${name} fired`, isOfTime }]
    const isForeseen =
      !isOfTime && forSeconds <= foreseenMaxSeconds && since !== undefined && Number(since) <= halfMs
    if (!isForeseen) return []
    return [
      {
        text: `${name} would have fired: it holds since ${since.toISOString()}, for the second half of the time`,
        isOfTime,
      },
    ]
  })
}

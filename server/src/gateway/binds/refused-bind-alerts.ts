// Binds that were refused in the last 24 hours and whose peer has not bound since, as alerts.
import { sql } from 'kysely'
import { quote, sentence, type Sentence } from '@tollgate/contract/sentences.ts'
import {
  alertHours,
  alertTexts,
  unlistedOf,
  type FoundAlert,
  type FoundAlerts,
  type AlertSeverity,
} from '@tollgate/contract/alerts/alerts.ts'
import { rows, type Db } from '../../platform/db.ts'
import { lastHours } from '../../platform/hour-counts.ts'

const bindsMax = 50

interface RefusedBindRow {
  readonly reason: string
  readonly systemId: string
  readonly address: string
  readonly count: number
  readonly since: Date
  readonly last: Date
  /** By the hour, in seconds since 1970. */
  readonly hours: Record<string, number>
  /** Null when no account has this system_id. */
  readonly userId: number | null
  readonly username: string | null
  /** Of all, listed or not, and of those of our accounts. */
  readonly total: number
  readonly ownTotal: number
}

interface ReasonWords {
  readonly what: Sentence
  readonly advice: Sentence
  readonly severity: AlertSeverity
}

const unknownPeer: ReasonWords = {
  what: sentence('No account has this system_id; the answer was 0x0E.'),
  advice: sentence('If it is a supplier of ours, tell it its system_id; else somebody is guessing.'),
  severity: 'notice',
}

const wordsOf: Readonly<Record<string, ReasonWords>> = {
  wrong_credentials: {
    what: sentence('The password was wrong (0x0E).'),
    advice: sentence('Send the supplier its password, or renew it.'),
    severity: 'warning',
  },
  account_not_active: {
    what: sentence('The account is not active (0x0D).'),
    advice: sentence('Activate the account, or tell the supplier why it is not.'),
    severity: 'warning',
  },
  no_access: {
    what: sentence('The account has no SMPP access (0x0D).'),
    advice: sentence('Give the account SMPP access if it should bind.'),
    severity: 'warning',
  },
  address_not_allowed: {
    what: sentence("The address is not in the account's allowed networks (0x0D)."),
    advice: sentence("Add the address to the account's SMPP profile if it is the supplier's."),
    severity: 'warning',
  },
  tls_required: {
    what: sentence('The account may only bind over TLS (0x0D).'),
    advice: sentence('Ask the supplier to use the TLS port, or allow plain binds in the SMPP profile.'),
    severity: 'warning',
  },
  too_many_binds: {
    what: sentence('The account has as many binds as it may have (0x0D).'),
    advice: sentence('Raise its Max Connections, or disconnect a bind that is not used.'),
    severity: 'warning',
  },
  unavailable: {
    what: sentence('The gateway could not check the bind, because the database did not answer (0x08).'),
    advice: sentence('Check the database and the log of the gateway.'),
    severity: 'critical',
  },
  crowded: {
    what: sentence('Too many binds of this address waited at once (0x58), and the password was not checked.'),
    advice: sentence('Ask the supplier to wait longer between attempts.'),
    severity: 'notice',
  },
}

/** A peer that went away by itself is not told. */
export async function refusedBindAlerts(db: Db, now: Date): Promise<FoundAlerts> {
  const found = await rows<RefusedBindRow>(
    db,
    sql`
      select r.reason, r.system_id as "systemId", r.address, sum(r.refused_count)::int as count,
        min(r.hour) as since, max(r.last_at) as last,
        jsonb_object_agg(extract(epoch from r.hour)::bigint, r.refused_count) as hours,
        min(u.id) as "userId", min(u.username) as username,
        (count(*) over ())::int as total, (count(min(u.id)) over ())::int as "ownTotal"
      from refused_binds r
        left join smpp_credentials c on c.system_id = r.system_id
        left join users u on u.id = c.user_id
      where r.hour > ${now}::timestamptz - ${alertHours}::int * interval '1 hour' and r.reason <> 'gone'
      group by 1, 2, 3
      having not exists (
        select from binds b where b.system_id = r.system_id and b.bound_at > max(r.last_at)
      )
      order by min(u.id) is null, count desc, last desc limit ${bindsMax}`,
  )
  const [first] = found
  const ownListed = found.filter(({ userId }) => userId !== null).length
  return {
    alerts: found.map((bind) => toAlert(bind, now)),
    unlisted: [
      ...unlistedOf('refused_bind', 'warning', { total: first?.ownTotal, listed: ownListed }),
      ...unlistedOf('refused_bind', 'notice', {
        total: first && first.total - first.ownTotal,
        listed: found.length - ownListed,
      }),
    ],
  }
}

function toAlert({ reason, systemId, address, userId, ...found }: RefusedBindRow, now: Date): FoundAlert {
  const isOther = systemId === 'other' && address === 'other'
  const isStranger = userId === null && reason === 'wrong_credentials'
  const { severity, what, advice } = isStranger
    ? unknownPeer
    : (wordsOf[reason] ?? {
        what: quote(reason.replaceAll('_', ' ')),
        advice: sentence('Look at the bind.'),
        severity: 'warning',
      })
  return {
    ...alertTexts({
      name: isOther ? sentence('Other peers') : peerName(systemId, address),
      what: [
        isOther
          ? sentence('So many peers were refused that these are counted together: somebody is guessing.')
          : what,
      ],
      advice,
    }),
    severity,
    key: `refused_bind:${reason}:${systemId}:${address}`,
    kind: 'refused_bind',
    since: found.since.toISOString(),
    last: found.last.toISOString(),
    count: found.count,
    hours: lastHours(found.hours, now, alertHours),
    about: {
      reason,
      ...(isOther ? {} : { systemId, address }),
      ...(userId === null ? {} : { userId: String(userId), username: found.username ?? '' }),
    },
  }
}

const peerName = (systemId: string, address: string): Sentence =>
  systemId === ''
    ? sentence('(no system_id) from {address}', { address })
    : sentence('{systemId} from {address}', { systemId, address })

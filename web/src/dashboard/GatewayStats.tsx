import type { SmppStatus } from '@tollgate/contract/gateway/gateway.ts'
import { linkedFigure } from '../money/linked-figure.tsx'
import { paths, trafficPath } from '../paths.ts'
import { parseSearch } from '../url-state.ts'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { useSession } from '../api/session.tsx'
import { formatDuration } from '../format/dates.ts'
import { formatCount, formatShare } from '../format/money.ts'
import { Sparkline, TickStrip } from '../ui/charts/Sparkline.tsx'
import { StatusIcon, type Tone } from '../ui/StatusIcon.tsx'
import { StatStrip, type Stat } from '../ui/StatStrip.tsx'
import { useStats } from '../records/queries.ts'
import { useTodayActivity, useHeldNumbers } from './queries.ts'
import { useStatusPolls, type StatusPoll } from './status-polls.ts'
import { runningState, useSmppStatus, type RunningState } from '../gateway/smpp-status.ts'
import { leftToRight, t } from '../language/t.ts'
import { wordLocale } from '../language/reader.ts'
import { tNodes } from '../language/t-nodes.tsx'

const runningLooks: Record<RunningState, { word: string; tone: Tone; icon: 'check' | 'x' | 'dash' }> = {
  online: { word: t('Online'), tone: 'ok', icon: 'check' },
  offline: { word: t('Offline'), tone: 'bad', icon: 'x' },
  unknown: { word: t('Not known'), tone: 'idle', icon: 'dash' },
}

function tickOf({ status }: StatusPoll): Tone {
  if (!status) return 'warn'
  return status.server.running ? 'ok' : 'bad'
}

/** The four figures of Spec §2. */
export function GatewayStats({ now }: { now: number }) {
  const status = useSmppStatus()
  const polls = useStatusPolls(status)
  const { may } = useSession()
  const isStaff = may('interconnectionApi')
  // Staff read the count of the whole gateway from its status.
  const ofGateway = may('numbersManagement')
  const held = useHeldNumbers(!ofGateway)
  const read = [status, useStats(), useTodayActivity(), held]
  return (
    <StatStrip
      label={t('Gateway')}
      under={<RefreshNote of={read} />}
      stats={[
        runningStat(status, polls, now),
        connectionsStat(status, polls, isStaff, may('smppControl')),
        useRecordsStat(now),
        numbersStat(status, held, ofGateway),
      ]}
    />
  )
}

/** "–" when the first poll has failed, a skeleton while it runs. */
function figureOf(value: number | undefined, isFailed: boolean): string | undefined {
  return value === undefined && !isFailed ? undefined : formatCount(value)
}

type Status = ReturnType<typeof useSmppStatus>

function runningStat(status: Status, polls: readonly StatusPoll[], now: number): Stat {
  const running = runningState(status)
  return {
    label: t('Gateway Status'),
    figure: status.isPending ? undefined : <RunningWord running={running} />,
    note: status.isPending ? undefined : runningNote(running, status.data?.server.startedAt ?? null, now),
    ...(polls.length > 1 && {
      graph: (
        <TickStrip
          ticks={polls.map(tickOf)}
          label={t('The last {count} looks at the gateway', { count: polls.length })}
        />
      ),
    }),
  }
}

function connectedOf({ outbound }: SmppStatus): number {
  return outbound.connections.filter((link) => link.status === 'connected').length
}

/** Staff see all binds and links, a client its own binds. */
function connectionsStat(
  { data, isError }: Status,
  polls: readonly StatusPoll[],
  isStaff: boolean,
  isAdmin: boolean,
): Stat {
  const counts = polls.flatMap(({ status }) =>
    status ? [status.server.connections + (isStaff ? connectedOf(status) : 0)] : [],
  )
  const connected = data === undefined ? 0 : connectedOf(data)
  const label = t('Active Connections')
  const shown = figureOf(data && data.server.connections + (isStaff ? connected : 0), isError)
  return {
    label,
    // An admin has lists of both; the tab beside tells the others how many there are of each.
    figure: linkedFigure(shown, label, isAdmin ? paths.smppControl : paths.dashboard, { tab: 'connections' }),
    note:
      data &&
      (isStaff
        ? t('{connections} in, {connected} out', {
            connections: formatCount(data.server.connections),
            connected: formatCount(connected),
          })
        : t('your binds')),
    ...(counts.length > 1 && {
      graph: <Sparkline values={counts} label={t('Connections since this page was opened')} />,
    }),
  }
}

/** Staff see the numbers of the whole gateway, a client only its own. */
function numbersStat(
  { data, isError }: Status,
  held: ReturnType<typeof useHeldNumbers>,
  isStaff: boolean,
): Stat {
  return {
    label: t('IPRN Numbers'),
    figure: linkedFigure(
      isStaff ? figureOf(data?.cdr.numbers, isError) : figureOf(held.data?.count, held.isError),
      t('IPRN Numbers'),
      isStaff ? paths.numbersManagement : paths.numbers,
    ),
    note: isStaff
      ? data && t('{assigned} assigned', { assigned: formatCount(data.cdr.assigned) })
      : held.data && t('yours, {active} active', { active: formatCount(held.data.active) }),
  }
}

function useRecordsStat(now: number): Stat {
  const stats = useStats()
  const { data } = useTodayActivity()
  return {
    label: t('SMS Records'),
    figure: linkedFigure(
      figureOf(stats.data?.totalRecords, stats.isError),
      t('SMS Records'),
      paths.records,
      parseSearch(trafficPath().slice(paths.records.length)),
    ),
    note: data && <Comparison today={data.today.processed} lastWeek={data.lastWeek} now={now} />,
    // Without a week to compare with, the words need the room.
    ...(data &&
      data.lastWeek > 0 && {
        graph: (
          <Sparkline
            values={hourlyTotals(data.hours, new Date(now).getUTCHours())}
            label={t('Records by hour today')}
            widthPx={80}
          />
        ),
      }),
  }
}

function RunningWord({ running }: { running: RunningState }) {
  const { word, tone, icon } = runningLooks[running]
  return (
    <span className="inline-flex items-center gap-2">
      <StatusIcon shape={icon} tone={tone} size={18} />
      {word}
    </span>
  )
}

function runningNote(running: RunningState, startedAt: string | null, now: number): string | undefined {
  if (running === 'unknown') return t('no answer from the gateway')
  if (running === 'offline') return t('takes no messages')
  return startedAt === null
    ? undefined
    : t('up {span}', { span: formatDuration(now - Date.parse(startedAt)) })
}

interface Hour {
  readonly delivered: number
  readonly pending: number
  readonly failed: number
}

/** The sums of today's hours that are over: the running one would look like a fall. */
function hourlyTotals(hours: readonly Hour[], runningHour: number): readonly number[] {
  return hours.slice(0, runningHour).map(({ delivered, pending, failed }) => delivered + pending + failed)
}

const weekday = new Intl.DateTimeFormat(wordLocale(), { weekday: 'long', timeZone: 'UTC' })

/** "+4.1 % on last Thursday". Only growth is coloured. */
function Comparison({ today, lastWeek, now }: { today: number; lastWeek: number; now: number }) {
  const day = weekday.format(now)
  if (lastWeek === 0) return <>{t('{today} today, none last {day}', { today: formatCount(today), day })}</>
  const change = today / lastWeek - 1
  const share = formatShare(Math.abs(change)).replace(/\d %$/, ' %')
  return (
    <>
      {tNodes('{change} on last {day}', {
        change: (
          <span className={change > 0 ? 'font-medium text-ok-ink' : undefined}>
            {leftToRight(`${change < 0 ? '−' : '+'}${share}`)}
          </span>
        ),
        day,
      })}
    </>
  )
}

// The flight recorder: the last PDUs of one link, live. The gateway masks texts before it sends them. Visual language
// §12.
import {
  flightRoutes,
  type FlightRecording,
  type FlightPdu,
} from '@tollgate/contract/gateway/flight-recorder.ts'
import { usersRoutes } from '@tollgate/contract/users/users.ts'
import { Activity, Download, Pause, Play } from 'lucide-react'
import { useId, useState, type ReactNode } from 'react'
import { useApiMutation, useApiQuery } from '../api/use-api.ts'
import { formatSecond } from '../format/dates.ts'
import { Button } from '../ui/Button.tsx'
import { Switch } from '../ui/Checkbox.tsx'
import { SelectField, TextField } from '../ui/Field.tsx'
import { StatusIcon } from '../ui/StatusIcon.tsx'
import { EmptyState, Skeleton } from '../ui/States.tsx'
import { saveFile } from '../ui/save-file.ts'
import { useDebounced } from '../ui/use-debounced.ts'
import { useUrlState } from '../url-state.ts'
import { FlightList } from './FlightList.tsx'
import { smppControlSearch } from './search.ts'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { t } from '../language/t.ts'

/** A link that can be recorded. */
export interface FlightLink {
  /** `bind-<user id>` or `connection-<id>`. */
  readonly value: string
  /** Its name for people. */
  readonly label: string
}

const recorderId = 'flight-recorder'

/** Opens the flight recorder at this link. */
export function FlightButton({ link, name }: { readonly link: string; readonly name: string }) {
  const url = useUrlState(smppControlSearch)
  const show = () => {
    url.set({ flight: link })
    const recorder = document.getElementById(recorderId)
    recorder?.scrollIntoView({ block: 'nearest' })
    recorder?.focus({ preventScroll: true })
  }
  return (
    <Button
      size="sm"
      tone="ghost"
      icon={Activity}
      aria-label={t('Flight recorder of {name}', { name })}
      onClick={show}
    >
      {t('Recorder')}
    </Button>
  )
}

interface FlightRecorderProps {
  readonly links: readonly FlightLink[]
  /** Whether these are all links, so that another one is not connected. */
  readonly isComplete?: boolean
}

/** Records the link in the address, or the first link without one. */
export function FlightRecorder({ links, isComplete = true }: FlightRecorderProps) {
  const url = useUrlState(smppControlSearch)
  const { flight } = url.state
  const headingId = useId()
  const isListed = flight === '' || links.some(({ value }) => value === flight)
  const nameOfLeft = useNameOfLeft(isListed || !isComplete ? '' : flight)
  const options = isListed
    ? links
    : // A bind that left: what it did just before is what one wants to see.
      [
        ...links,
        {
          value: flight,
          label:
            nameOfRefused(flight) ?? (isComplete ? t('{name}, not connected', { name: nameOfLeft }) : '…'),
        },
      ]
  const link = flight === '' ? options[0]?.value : flight
  return (
    <section
      id={recorderId}
      tabIndex={-1}
      aria-labelledby={headingId}
      className="min-w-0 rounded-lg border border-line bg-surface shadow-card"
    >
      {link === undefined ? (
        <>
          <h2 id={headingId} className="px-4 pt-3 text-md">
            {t('Flight Recorder')}
          </h2>
          <EmptyState title={t('Nothing to record yet')}>
            {t('It shows what goes over a link, as soon as a peer is bound or a connection is added.')}
          </EmptyState>
        </>
      ) : (
        <LinkRecorder
          key={link}
          link={link}
          headingId={headingId}
          choice={
            <SelectField
              label={t('Link')}
              value={link}
              options={options}
              onChange={(event) => url.set({ flight: event.target.value })}
            />
          }
        />
      )}
    </section>
  )
}

/** The name of a link that is not connected: of `bind-12` the account whose binds they were. */
function useNameOfLeft(link: string): string {
  const [, kind, id = ''] = /^(bind|connection)-(\d+)$/.exec(link) ?? []
  const isBind = kind === 'bind'
  const account = useApiQuery(usersRoutes.getUser, { params: { id: Number(id) } }, { isEnabled: isBind })
  if (!isBind) return t('Connection #{id}', { id })
  return account.data?.username ?? (account.error ? t('Account #{id}', { id }) : '…')
}

/** The words for the refused binds of a system_id or address; undefined for a link. */
function nameOfRefused(link: string): string | undefined {
  const [, way, name] = /^(refused|address)-(.*)$/.exec(link) ?? []
  if (way === undefined) return undefined
  return way === 'refused' ? t('Refused binds of {name}', { name }) : t('Refused binds from {name}', { name })
}

const liveEveryMs = 1_000
const idleEveryMs = 5_000

const commandOptions = [
  { value: '', label: t('All commands') },
  ...[
    'submit_sm',
    'submit_multi',
    'deliver_sm',
    'data_sm',
    'query_sm',
    'enquire_link',
    'unbind',
    'generic_nack',
  ].map((command) => ({ value: command, label: command })),
]
const directionOptions = [
  { value: '', label: t('Both directions') },
  { value: 'in', label: t('Received') },
  { value: 'out', label: t('Sent') },
]

interface FlightFilter {
  readonly messageId: string
  readonly command: string
  readonly direction: '' | 'in' | 'out'
  readonly hasErrorsOnly: boolean
}

const noFilter: FlightFilter = { messageId: '', command: '', direction: '', hasErrorsOnly: false }

function toQuery({ messageId, command, direction, hasErrorsOnly }: FlightFilter) {
  return {
    ...(messageId !== '' && { messageId }),
    ...(command !== '' && { command }),
    ...(direction !== '' && { direction }),
    ...(hasErrorsOnly && { errors: 'true' as const }),
  }
}

interface LinkRecorderProps {
  readonly link: string
  readonly headingId: string
  /** The field to choose the link. */
  readonly choice: ReactNode
}

function LinkRecorder({ link, headingId, choice }: LinkRecorderProps) {
  const [isPaused, setPaused] = useState(false)
  const [filter, setFilter] = useState(noFilter)
  const query = toQuery(filter)
  // The last data stays on screen while another filter is loaded.
  const [last, setLast] = useState<FlightRecording>()
  const flight = useApiQuery(
    flightRoutes.getFlight,
    { params: { link }, query },
    isPaused ? {} : { refetchIntervalMs: last?.isOn === true ? liveEveryMs : idleEveryMs },
  )
  if (flight.data !== undefined && flight.data !== last) setLast(flight.data)
  const data = flight.data ?? last
  return (
    <>
      <RecorderHead
        link={link}
        headingId={headingId}
        flight={data}
        isPaused={isPaused}
        onPause={() => setPaused((before) => !before)}
      />
      <div className="grid gap-3 border-b border-line px-4 pt-2 pb-3 sm:grid-cols-2 lg:grid-cols-[repeat(4,minmax(0,1fr))_auto]">
        {choice}
        <FilterFields filter={filter} onChange={setFilter} />
      </div>
      <div className="px-4 pb-1.5 empty:hidden">
        <RefreshNote of={[flight]} />
      </div>
      {/* What another filter found would pass for the answer to this one. */}
      {flight.error && !flight.data ? (
        <FetchFailure of={flight} title={t('Failed to fetch the recording')} />
      ) : data ? (
        <FlightEntries flight={data} isFiltered={Object.keys(query).length > 0} />
      ) : (
        <div className="p-4">
          <Skeleton className="h-40 w-full rounded-lg" />
        </div>
      )}
    </>
  )
}

interface RecorderHeadProps extends Pick<LinkRecorderProps, 'link' | 'headingId'> {
  /** undefined until it has loaded. */
  readonly flight: FlightRecording | undefined
  readonly isPaused: boolean
  readonly onPause: () => void
}

function RecorderHead({ link, headingId, flight, isPaused, onPause }: RecorderHeadProps) {
  const turn = useApiMutation(flightRoutes.switchFlight, {
    refetch: ['/api/smpp/flights'],
    failure: t('Failed to turn the recorder on or off'),
  })
  const pdus = flight?.pdus ?? []
  return (
    <header className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 pt-3">
      <h2 id={headingId} className="text-md">
        {t('Flight Recorder')}
      </h2>
      {flight && <RecordingState flight={flight} isPaused={isPaused} />}
      <div className="ms-auto flex flex-wrap items-center gap-3">
        {/* Refused binds are recorded in any case. */}
        {nameOfRefused(link) === undefined && (
          <Switch
            label={t('Record PDUs')}
            checked={flight?.isOn ?? false}
            disabled={turn.isPending || flight === undefined}
            onChange={(event) => turn.mutate({ params: { link }, body: { isOn: event.target.checked } })}
          />
        )}
        <Button icon={isPaused ? Play : Pause} aria-pressed={isPaused} onClick={onPause}>
          {isPaused ? t('Resume') : t('Pause')}
        </Button>
        <Button icon={Download} isDisabled={pdus.length === 0} onClick={() => download(link, pdus)}>
          {t('Export')}
        </Button>
      </div>
    </header>
  )
}

function RecordingState({
  flight,
  isPaused,
}: {
  readonly flight: FlightRecording
  readonly isPaused: boolean
}) {
  const { isOn, onUntil } = flight
  return (
    <span className="inline-flex items-center gap-1.5 text-ink-3">
      <StatusIcon shape={isOn ? 'dot' : 'minus'} tone={isOn ? 'ok' : 'idle'} />
      {!isOn
        ? t('off')
        : onUntil === null
          ? t('recording')
          : t('recording until {time}', { time: formatSecond(onUntil) })}
      {isPaused && ` · ${t('the view is paused')}`}
    </span>
  )
}

interface FlightEntriesProps {
  readonly flight: FlightRecording
  readonly isFiltered: boolean
}

function FlightEntries({ flight, isFiltered }: FlightEntriesProps) {
  const { pdus, isOn } = flight
  if (pdus.length > 0) return <FlightList pdus={pdus} />
  if (isFiltered)
    return (
      <EmptyState title={t('No PDU matches')}>
        {t('Choose other filters to see what was recorded.')}
      </EmptyState>
    )
  return isOn ? (
    <EmptyState title={t('Nothing has come yet')}>{t('PDUs appear within two seconds.')}</EmptyState>
  ) : (
    <EmptyState title={t('Nothing is recorded')}>
      {t('Switch it on to see what goes over this link. It switches itself off after 15 minutes.')}
    </EmptyState>
  )
}

interface FilterFieldsProps {
  readonly filter: FlightFilter
  readonly onChange: (filter: FlightFilter) => void
}

function FilterFields({ filter, onChange }: FilterFieldsProps) {
  const [messageId, setMessageId] = useDebounced(filter.messageId, (text) =>
    onChange({ ...filter, messageId: text.trim() }),
  )
  return (
    <>
      <TextField
        label={t('Message id')}
        type="search"
        isMono
        value={messageId}
        onChange={(event) => setMessageId(event.target.value)}
      />
      <SelectField
        label={t('Command')}
        value={filter.command}
        options={commandOptions}
        onChange={(event) => onChange({ ...filter, command: event.target.value })}
      />
      <SelectField
        label={t('Direction')}
        value={filter.direction}
        options={directionOptions}
        onChange={(event) =>
          onChange({ ...filter, direction: event.target.value as FlightFilter['direction'] })
        }
      />
      <span className="flex h-(--control) items-center self-end">
        <Switch
          label={t('Errors only')}
          checked={filter.hasErrorsOnly}
          onChange={(event) => onChange({ ...filter, hasErrorsOnly: event.target.checked })}
        />
      </span>
    </>
  )
}

/** Saves the shown PDUs, one on each line, oldest first. */
function download(link: string, pdus: readonly FlightPdu[]): void {
  const lines = pdus.toReversed().map((pdu) => JSON.stringify(pdu))
  saveFile(`flight-${link}.ndjson`, new Blob([`${lines.join('\n')}\n`], { type: 'application/x-ndjson' }))
}

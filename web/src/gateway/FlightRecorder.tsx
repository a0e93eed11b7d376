// The flight recorder of one link: its last PDUs, as they come. Texts are masked before they leave the gateway.
import { flightRoutes, type FlightPdu } from '@tollgate/contract/flight.ts'
import { Activity, ArrowDownLeft, ArrowUpRight, Download, Pause, Play } from 'lucide-react'
import { useId, useState } from 'react'
import { reasonOf, requestIdOf } from '../api/api-error.ts'
import { useAct, useCall } from '../api/use-call.ts'
import { formatMillisecond, formatSecond } from '../format/dates.ts'
import { Button } from '../ui/Button.tsx'
import { Switch } from '../ui/Checkbox.tsx'
import { cx } from '../ui/cx.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { SelectField, TextField } from '../ui/Field.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { Lamp } from '../ui/Lamp.tsx'
import { EmptyState, ErrorState, Skeleton } from '../ui/States.tsx'
import { useDebounced } from '../ui/use-debounced.ts'
import { saveFile } from '../ui/save-file.ts'
import { PduDetail } from './PduDetail.tsx'

interface FlightRecorderProps {
  /** `bind-<user id>` or `connection-<id>`. */
  readonly link: string
  /** What people call the link. */
  readonly name: string
}

/** The button that opens the recorder of a link. */
export function FlightRecorder({ link, name }: FlightRecorderProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <IconButton icon={Activity} label={`Flight recorder of ${name}`} onClick={() => setOpen(true)} />
      {isOpen && <RecorderDialog link={link} name={name} onClose={() => setOpen(false)} />}
    </>
  )
}

const refetchIntervalMs = 1_000

const commandOptions = [
  { value: '', label: 'All commands' },
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
  { value: '', label: 'Both directions' },
  { value: 'in', label: 'Received' },
  { value: 'out', label: 'Sent' },
]

interface Filter {
  readonly messageId: string
  readonly command: string
  readonly direction: '' | 'in' | 'out'
  readonly hasErrorsOnly: boolean
}

const noFilter: Filter = { messageId: '', command: '', direction: '', hasErrorsOnly: false }

function toQuery({ messageId, command, direction, hasErrorsOnly }: Filter) {
  return {
    ...(messageId !== '' && { messageId }),
    ...(command !== '' && { command }),
    ...(direction !== '' && { direction }),
    ...(hasErrorsOnly && { errors: 'true' as const }),
  }
}

function RecorderDialog({ link, name, onClose }: FlightRecorderProps & { readonly onClose: () => void }) {
  const [isPaused, setPaused] = useState(false)
  const [filter, setFilter] = useState(noFilter)
  const flight = useCall(
    flightRoutes.getFlight,
    { params: { link }, query: toQuery(filter) },
    isPaused ? {} : { refetchIntervalMs },
  )
  const turn = useAct(flightRoutes.switchFlight, {
    refetch: ['/api/smpp/flights'],
    failure: 'Failed to switch the recorder',
  })
  const { data } = flight
  const pdus = data?.pdus ?? []
  return (
    <Dialog
      isOpen
      isFullOnPhone
      width="lg"
      title="Flight Recorder"
      description={name}
      closeWord="Close"
      onClose={onClose}
      consequence={data?.onUntil ? `It switches itself off at ${formatSecond(data.onUntil)}.` : 'It is off.'}
      act={
        <Button icon={Download} isDisabled={pdus.length === 0} onClick={() => download(link, pdus)}>
          Export
        </Button>
      }
    >
      <div className="space-y-4">
        <div className="flex flex-wrap items-center gap-4">
          <Switch
            label="Record"
            checked={data?.isOn ?? false}
            disabled={turn.isPending || data === undefined}
            onChange={(event) => turn.mutate({ params: { link }, body: { isOn: event.target.checked } })}
          />
          <Button
            icon={isPaused ? Play : Pause}
            aria-pressed={isPaused}
            onClick={() => setPaused((before) => !before)}
          >
            {isPaused ? 'Resume' : 'Pause'}
          </Button>
          <Switch
            label="Errors only"
            checked={filter.hasErrorsOnly}
            onChange={(event) => setFilter({ ...filter, hasErrorsOnly: event.target.checked })}
          />
        </div>
        <FilterFields filter={filter} onChange={setFilter} />
        {data ? (
          <PduList pdus={pdus} isOn={data.isOn} />
        ) : flight.error ? (
          <ErrorState
            title="Failed to fetch the recording"
            reason={reasonOf(flight.error)}
            requestId={requestIdOf(flight.error)}
            onRetry={() => void flight.refetch()}
          />
        ) : (
          <Skeleton className="h-48 w-full rounded-lg" />
        )}
      </div>
    </Dialog>
  )
}

interface FilterFieldsProps {
  readonly filter: Filter
  readonly onChange: (filter: Filter) => void
}

function FilterFields({ filter, onChange }: FilterFieldsProps) {
  const [messageId, setMessageId] = useDebounced(filter.messageId, (text) =>
    onChange({ ...filter, messageId: text.trim() }),
  )
  return (
    <div className="grid gap-3 sm:grid-cols-3">
      <TextField
        label="Message id"
        type="search"
        isMono
        value={messageId}
        onChange={(event) => setMessageId(event.target.value)}
      />
      <SelectField
        label="Command"
        value={filter.command}
        options={commandOptions}
        onChange={(event) => onChange({ ...filter, command: event.target.value })}
      />
      <SelectField
        label="Direction"
        value={filter.direction}
        options={directionOptions}
        onChange={(event) => onChange({ ...filter, direction: event.target.value as Filter['direction'] })}
      />
    </div>
  )
}

function PduList({ pdus, isOn }: { readonly pdus: readonly FlightPdu[]; readonly isOn: boolean }) {
  if (pdus.length === 0)
    return (
      <EmptyState title={isOn ? 'Nothing has come yet' : 'Nothing is recorded'}>
        {isOn ? 'PDUs show within two seconds.' : 'Switch the recorder on to see what goes over this link.'}
      </EmptyState>
    )
  return (
    <ol aria-label="Recorded PDUs" className="divide-y divide-line rounded-lg border border-line">
      {pdus.map((pdu) => (
        <li key={pdu.id}>
          <PduLine pdu={pdu} />
        </li>
      ))}
    </ol>
  )
}

function PduLine({ pdu }: { readonly pdu: FlightPdu }) {
  const [isOpen, setOpen] = useState(false)
  const detailId = useId()
  const isError = pdu.status !== 0
  const Arrow = pdu.direction === 'in' ? ArrowDownLeft : ArrowUpRight
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={detailId}
        onClick={() => setOpen(!isOpen)}
        className={cx(
          'grid w-full grid-cols-[6.5rem_1rem_1fr_auto] items-center gap-x-3 gap-y-1 px-3 py-2 text-left font-mono text-xs hover:bg-surface-2 sm:grid-cols-[6.5rem_1rem_9.5rem_5rem_1fr_auto]',
          isOpen && 'bg-surface-2',
        )}
      >
        <span className="text-ink-2">{formatMillisecond(pdu.at)}</span>
        <span>
          <Arrow size={14} strokeWidth={1.6} aria-hidden="true" className="text-ink-2" />
          <span className="sr-only">{pdu.direction === 'in' ? 'received' : 'sent'}</span>
        </span>
        <span className="font-semibold">{pdu.command}</span>
        <span className="text-right text-ink-2">{pdu.sequence}</span>
        <span className={cx('flex items-center gap-1.5 max-sm:col-span-3', isError && 'text-bad-ink')}>
          <Lamp shape={isError ? 'x' : 'check'} tone={isError ? 'bad' : 'ok'} />
          {pdu.statusName === '' ? hexStatus(pdu.status) : pdu.statusName}
        </span>
        <span className="text-right text-ink-2">{pdu.answerMs === null ? '–' : `${pdu.answerMs} ms`}</span>
        {pdu.messageId !== '' && <span className="col-span-full break-all text-ink-2">{pdu.messageId}</span>}
      </button>
      <div id={detailId}>{isOpen && <PduDetail pdu={pdu} />}</div>
    </>
  )
}

function hexStatus(status: number): string {
  return `0x${status.toString(16).padStart(2, '0').toUpperCase()}`
}

/** Saves what is shown, one PDU a line, the oldest first. */
function download(link: string, pdus: readonly FlightPdu[]): void {
  const lines = pdus.toReversed().map((pdu) => JSON.stringify(pdu))
  saveFile(`flight-${link}.ndjson`, new Blob([`${lines.join('\n')}\n`], { type: 'application/x-ndjson' }))
}

// Checks a statement in the reader's browser. The file is not sent anywhere.
import { treasuryRoutes } from '@tollgate/contract/treasury.ts'
import { FileSearch } from 'lucide-react'
import { useState, type DragEvent } from 'react'
import { useApiQuery } from '../../api/use-api.ts'
import { formatDateTime } from '../../format/dates.ts'
import { formatCount, formatUsdt } from '../../format/money.ts'
import { formatBillingPeriod } from '../bill-text.ts'
import { FileButton } from '../../ui/FileButton.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, Pairs } from '../../ui/Card.tsx'
import { Progress } from '../../ui/Progress.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Notice } from '../../ui/Notice.tsx'
import type { CheckedStatement } from './check-statement.ts'
import { useStatementCheck, type CheckState } from './use-statement-check.ts'
import { zoneName } from '../../language/reader.ts'

export function VerifyTab() {
  const { state, check, stop } = useStatementCheck()
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <Card title="Check a statement">
        <div className="space-y-4 pt-1">
          <FileInput onFile={check} />
          <CheckResult state={state} onStop={stop} />
        </div>
      </Card>
      <Notice title="What is checked">
        <p>
          A bill’s “Signed records” is a file with every SMS of the period. Here your browser recomputes its
          hash chain and its amount record by record, and compares the signature with the gateway’s published
          key. The file stays on this machine.
        </p>
        <p className="pt-2">
          Without this console, <span className="font-mono">npm run verify-statement -- FILE</span> does the
          same.
        </p>
      </Notice>
    </div>
  )
}

function FileInput({ onFile }: { onFile: (file: File) => void }) {
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const [file] = event.dataTransfer.files
    if (file) onFile(file)
  }
  return (
    <div
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={classNames(
        'flex flex-col items-center gap-3 rounded-lg border border-dashed px-5 py-8 text-center',
        isOver ? 'border-accent bg-accent-soft' : 'border-line-strong bg-surface-2',
      )}
    >
      <p className="text-ink-2">Drop a statement file (.jsonl) here, or choose one.</p>
      <FileButton
        label="Statement file"
        accept=".jsonl,.ndjson,application/x-ndjson"
        icon={FileSearch}
        onFile={onFile}
      >
        Choose statement file
      </FileButton>
    </div>
  )
}

function CheckResult({ state, onStop }: { state: CheckState; onStop: () => void }) {
  if (state.kind === 'none') return null
  if (state.kind === 'failed')
    return (
      <Notice tone="bad" title={`${state.file.name} could not be read`} isAlert>
        {state.reason} Choose it again.
      </Notice>
    )
  if (state.kind === 'checked') return <Verdict name={state.file.name} checked={state.checked} />
  const share = state.file.size === 0 ? 0 : state.bytes / state.file.size
  return (
    <div className="flex items-center gap-3">
      <div className="min-w-0 grow space-y-1">
        <p className="truncate">Checking {state.file.name}…</p>
        <Progress label={`Checking ${state.file.name}`} share={share} />
      </div>
      <Button size="sm" onClick={onStop}>
        Stop
      </Button>
    </div>
  )
}

function Verdict({ name, checked }: { name: string; checked: CheckedStatement }) {
  const published = useApiQuery(treasuryRoutes.getStatementKey)
  const { faults, end, header } = checked
  if (published.error && !published.data)
    return (
      <Notice tone="warn" title="The gateway’s key could not be fetched" isAlert>
        <p>The file cannot be judged without it.</p>
        <div className="pt-2">
          <Button size="sm" onClick={() => void published.refetch()}>
            Try again
          </Button>
        </div>
      </Notice>
    )
  if (!published.data) return <p role="status">Fetching the gateway’s key…</p>
  const isOurKey = end?.publicKey === published.data.publicKey
  return (
    <section aria-label={`Outcome for ${name}`} className="space-y-4">
      <VerdictNotice checked={checked} isOurKey={isOurKey} name={name} />
      {faults.length > 0 && <Faults checked={checked} />}
      {header && end && (
        <Pairs
          items={[
            { label: 'Statement', value: `#${header.period} of ${header.client}` },
            { label: 'Period', value: formatBillingPeriod(header) },
            { label: 'Records', value: formatCount(checked.recordCount) },
            { label: 'Bill', value: formatUsdt(end.bill) },
            { label: 'Payouts', value: formatUsdt(end.payouts) },
            { label: 'Held back', value: formatUsdt(end.held) },
            ...(isNothing(end.released)
              ? []
              : [{ label: 'Released from earlier periods', value: formatUsdt(end.released) }]),
            ...(isNothing(end.refused)
              ? []
              : [{ label: 'Refused after review', value: formatUsdt(end.refused) }]),
            { label: 'Signed', value: `${formatDateTime(end.sealedAt)} ${zoneName()}` },
            {
              label: 'Key',
              value: <span className="font-mono break-words">{checked.fingerprint || 'none'}</span>,
            },
            ...(isOurKey
              ? []
              : [
                  {
                    label: 'Gateway’s key',
                    value: <span className="font-mono break-words">{published.data.fingerprint}</span>,
                  },
                ]),
          ]}
        />
      )}
    </section>
  )
}

/** A file of format 1 has no such amount. */
const isNothing = (amount: string | undefined) => amount === undefined || amount === '0.00'

/** 'YES' only when everything was checked. A signature that could not be checked proves nothing. */
function VerdictNotice({
  checked,
  isOurKey,
  name,
}: {
  checked: CheckedStatement
  isOurKey: boolean
  name: string
}) {
  const { faults, isSignatureChecked, end, recordCount } = checked
  if (faults.length > 0)
    return (
      <Notice tone="bad" title={`NO: ${name} is not what was signed`} isAlert>
        {faults.length === 1 ? 'One thing is' : `${formatCount(faults.length)} things are`} not as it should
        be.
        {end !== undefined && !isOurKey && ' Besides, the key is not this gateway’s.'}
      </Notice>
    )
  if (!isOurKey)
    return (
      <Notice tone="bad" title="NO: it was signed by another key" isAlert>
        The file fits together, but its key is not this gateway’s. Statements keep their key when the gateway
        gets a new one: ask for the old fingerprint.
      </Notice>
    )
  if (!isSignatureChecked)
    return (
      <Notice tone="warn" title="Not proven: this browser cannot check the signature" isAlert>
        Chain and amounts fit. Open the console over HTTPS in a current browser, or use the command line.
      </Notice>
    )
  return (
    <Notice tone="ok" title="YES: chain, amounts and signature fit" isAlert>
      All {formatCount(recordCount)} records are as the gateway signed them, and the bill’s{' '}
      {formatUsdt(end?.bill)} follow from them, from what was released from earlier periods, and from its
      adjustments.
    </Notice>
  )
}

function Faults({ checked: { faults } }: { checked: CheckedStatement }) {
  return (
    <ol
      aria-label="What is not as it should be"
      className="divide-y divide-line rounded-lg border border-line"
    >
      {faults.map(({ line, recordId, what }) => (
        <li key={`${line} ${what}`} className="flex flex-wrap gap-x-3 gap-y-0.5 px-3 py-2">
          <span className="font-medium whitespace-nowrap">line {formatCount(line)}</span>
          {recordId !== '' && <span className="font-mono text-ink-2">record {recordId}</span>}
          <span className="min-w-60 flex-1 break-words">{what}</span>
        </li>
      ))}
    </ol>
  )
}

// Checks a statement in the reader's browser. The file is not sent anywhere.
import { statementRoutes } from '@tollgate/contract/statements/statements.ts'
import { FileSearch } from 'lucide-react'
import { useState, type DragEvent } from 'react'
import { useApiQuery } from '../api/use-api.ts'
import { formatDateTime } from '../format/dates.ts'
import { formatCount, formatUsdt } from '../format/money.ts'
import { formatWords } from '../format/sentences.ts'
import { formatBillingPeriod } from '../money/bill-text.ts'
import { FileButton } from '../ui/FileButton.tsx'
import { Button } from '../ui/Button.tsx'
import { Card, Pairs } from '../ui/Card.tsx'
import { Progress } from '../ui/Progress.tsx'
import { classNames } from '../ui/class-names.ts'
import { Notice } from '../ui/Notice.tsx'
import type { CheckedStatement } from './check-statement.ts'
import { useStatementCheck, type CheckState } from './use-statement-check.ts'
import { zoneName } from '../language/reader.ts'
import { t, joined } from '../language/t.ts'
import { tNodes } from '../language/t-nodes.tsx'
import { counted } from '../format/counted.ts'

/** With a bill it begins with its signed records. */
export function VerifyTab({ billId }: { readonly billId: string }) {
  const { state, check, stop } = useStatementCheck(billId)
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <Card title={t('Check a statement')}>
        <div className="space-y-4 pt-1">
          <FileInput onFile={check} />
          <CheckResult state={state} onStop={stop} />
        </div>
      </Card>
      <Notice title={t('What is checked')}>
        <p>
          {t(
            'A bill’s “Signed records” is a file with every SMS of the period. Here your browser recomputes its hash chain and its amount record by record, and compares the signature with the gateway’s published key. The file stays on this machine.',
          )}
        </p>
        <p className="pt-2">
          {tNodes('Without this console, {command} does the same.', {
            command: <span className="font-mono">{t('npm run verify-statement -- FILE')}</span>,
          })}
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
      <p className="text-ink-2">{t('Drop a statement file (.jsonl) here, or choose one.')}</p>
      <FileButton
        label={t('Statement file')}
        accept=".jsonl,.ndjson,application/x-ndjson"
        icon={FileSearch}
        onFile={onFile}
      >
        {t('Choose statement file')}
      </FileButton>
    </div>
  )
}

function CheckResult({ state, onStop }: { state: CheckState; onStop: () => void }) {
  if (state.kind === 'none') return null
  if (state.kind === 'failed')
    return (
      <Notice tone="bad" title={t('{name} could not be read', { name: state.file.name })} isAlert>
        {joined(state.reason, t('Choose it again.'))}
      </Notice>
    )
  if (state.kind === 'checked') return <Verdict name={state.file.name} checked={state.checked} />
  const share = state.file.size === 0 ? 0 : state.bytes / state.file.size
  return (
    <div className="flex items-center gap-3">
      <div className="min-w-0 grow space-y-1">
        <p className="truncate">{t('Checking {name}…', { name: state.file.name })}</p>
        <Progress label={t('Checking {name}', { name: state.file.name })} share={share} />
      </div>
      <Button size="sm" onClick={onStop}>
        {t('Stop')}
      </Button>
    </div>
  )
}

function Verdict({ name, checked }: { name: string; checked: CheckedStatement }) {
  const published = useApiQuery(statementRoutes.getStatementKey)
  const { faults, end, header } = checked
  if (published.error && !published.data)
    return (
      <Notice tone="warn" title={t('The gateway’s key could not be fetched')} isAlert>
        <p>{t('The file cannot be judged without it.')}</p>
        <div className="pt-2">
          <Button size="sm" onClick={() => void published.refetch()}>
            {t('Try again')}
          </Button>
        </div>
      </Notice>
    )
  if (!published.data) return <p role="status">{t('Fetching the gateway’s key…')}</p>
  const isOurKey = end?.publicKey === published.data.publicKey
  return (
    <section aria-label={t('Outcome for {name}', { name })} className="space-y-4">
      <VerdictNotice checked={checked} isOurKey={isOurKey} name={name} />
      {faults.length > 0 && <Faults checked={checked} />}
      {header && end && (
        <Pairs
          items={[
            {
              label: t('Statement'),
              value: t('#{period} of {client}', { period: header.period, client: header.client }),
            },
            { label: t('Period'), value: formatBillingPeriod(header) },
            { label: t('Records'), value: formatCount(checked.recordCount) },
            { label: t('Bill'), value: formatUsdt(end.bill) },
            { label: t('Payouts'), value: formatUsdt(end.payouts) },
            { label: t('Held back'), value: formatUsdt(end.held) },
            ...(isNothing(end.released)
              ? []
              : [{ label: t('Released from earlier periods'), value: formatUsdt(end.released) }]),
            ...(isNothing(end.refused)
              ? []
              : [{ label: t('Refused after review'), value: formatUsdt(end.refused) }]),
            { label: t('Signed'), value: `${formatDateTime(end.sealedAt)} ${zoneName()}` },
            {
              label: t('Key'),
              value: <span className="font-mono break-words">{checked.fingerprint || t('none')}</span>,
            },
            ...(isOurKey
              ? []
              : [
                  {
                    label: t('Gateway’s key'),
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
      <Notice tone="bad" title={t('NO: {name} is not what was signed', { name })} isAlert>
        {joined(
          counted(faults.length, 'One check failed.', '{count} checks failed.'),
          end !== undefined && !isOurKey && t('The key is not this gateway’s, either.'),
        )}
      </Notice>
    )
  if (!isOurKey)
    return (
      <Notice tone="bad" title={t('NO: it was signed by another key')} isAlert>
        {t(
          'The file fits together, but its key is not this gateway’s. Statements keep their key when the gateway gets a new one: ask for the old fingerprint.',
        )}
      </Notice>
    )
  if (!isSignatureChecked)
    return (
      <Notice tone="warn" title={t('Not proven: this browser cannot check the signature')} isAlert>
        {t(
          'Chain and amounts fit. Open the console over HTTPS in a current browser, or use the command line.',
        )}
      </Notice>
    )
  return (
    <Notice tone="ok" title={t('YES: chain, amounts and signature fit')} isAlert>
      {t(
        'All {recordCount} records are as the gateway signed them, and the bill’s {bill} follow from them, from what was released from earlier periods, and from its adjustments.',
        { recordCount: formatCount(recordCount), bill: formatUsdt(end?.bill) },
      )}
    </Notice>
  )
}

function Faults({ checked: { faults } }: { checked: CheckedStatement }) {
  return (
    <ol
      aria-label={t('What is not as it should be')}
      className="divide-y divide-line rounded-lg border border-line"
    >
      {faults.map(({ line, recordId, what, words }) => (
        <li key={`${line} ${what}`} className="flex flex-wrap gap-x-3 gap-y-0.5 px-3 py-2">
          <span className="font-medium whitespace-nowrap">
            {t('line {line}', { line: formatCount(line) })}
          </span>
          {recordId !== '' && (
            <span className="font-mono text-ink-2">{t('record {recordId}', { recordId })}</span>
          )}
          <span className="min-w-60 flex-1 break-words">{formatWords(words ?? what)}</span>
        </li>
      ))}
    </ol>
  )
}

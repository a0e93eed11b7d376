// Processes several payouts. Each has its own transfer, because one transfer can pay only one payout.
import { useQueryClient } from '@tanstack/react-query'
import { transactionHashSchema } from '@tollgate/contract/billing/debts.ts'
import { type Payout, payoutRoutes } from '@tollgate/contract/billing/payouts.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import { useState, type FormEvent } from 'react'
import { messageOf } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { CallKeys } from '../../api/idempotency-key.ts'
import { refetchPaths } from '../../api/use-api.ts'
import { formatCount, formatUsdt } from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import { groupByFour } from '../../format/shorten.ts'
import { AddressChecks, useAddressChecks } from '../payments/AddressChecks.tsx'
import { addressCopied } from '../../money/cells.tsx'
import { moneyPaths } from '../../money/queries.ts'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { statusLook } from '../../ui/status.ts'
import { showToast } from '../../ui/toasts.ts'
import { t } from '../../language/t.ts'
import { counted } from '../../format/counted.ts'

interface ProcessPayoutsDialogProps {
  readonly payouts: readonly Payout[]
  readonly onClose: () => void
  readonly onProcessed: (ids: readonly string[]) => void
}

/** The result for each payout. */
type PayoutOutcomes = Readonly<Record<string, { readonly isDone: boolean; readonly words: string }>>

function faultsOf(hashes: Readonly<Record<string, string>>): PayoutOutcomes {
  const seen = new Map<string, number>()
  for (const hash of Object.values(hashes).map((text) => text.trim().toLowerCase()))
    seen.set(hash, (seen.get(hash) ?? 0) + 1)
  return Object.fromEntries(
    Object.entries(hashes).flatMap(([id, text]) => {
      const hash = text.trim().toLowerCase()
      if (hash === '') return []
      const words = !transactionHashSchema.safeParse(hash).success
        ? t('Enter the 64 hexadecimal digits of the transaction hash')
        : (seen.get(hash) ?? 0) > 1
          ? t('Entered for another payout, too: one transfer pays one payout')
          : undefined
      return words === undefined ? [] : [[id, { isDone: false, words }]]
    }),
  )
}

/** Processes one after the other, so that each has its own result. */
function useProcessing(onProcessed: (ids: readonly string[]) => void) {
  const client = useQueryClient()
  const [outcomes, setOutcomes] = useState<PayoutOutcomes>({})
  const [isBusy, setBusy] = useState(false)
  const [keys] = useState(() => new CallKeys())
  const process = async (payouts: readonly Payout[], hashes: Readonly<Record<string, string>>) => {
    const faults = faultsOf(hashes)
    setOutcomes((before) => ({ ...before, ...faults }))
    if (Object.keys(faults).length > 0) return false
    setBusy(true)
    const done: string[] = []
    for (const { id } of payouts) {
      const hash = hashes[id]?.trim() ?? ''
      try {
        const input = { params: { id }, body: { transactionHash: hash } }
        const idempotencyKey = keys.keyFor(payoutRoutes.processPayout, input)
        const after = await call(payoutRoutes.processPayout, input, undefined, { idempotencyKey })
        keys.forget(input)
        done.push(id)
        setOutcomes((before) => ({ ...before, [id]: { isDone: true, words: wordsOf(after) } }))
      } catch (error) {
        setOutcomes((before) => ({ ...before, [id]: { isDone: false, words: messageOf(error) } }))
      }
    }
    setBusy(false)
    onProcessed(done)
    await refetchPaths(client, moneyPaths)
    if (done.length > 0)
      showToast({
        title: t('Success'),
        text: counted(done.length, 'Payout processed successfully', '{count} payouts processed successfully'),
      })
    return done.length === payouts.length
  }
  return { outcomes, isBusy, process }
}

function wordsOf({ payoutStatus, approval, paymentVerification }: Payout): string {
  if (payoutStatus === 'completed') return statusLook('payout', payoutStatus).label
  if (approval !== null) return t('waits for a second person')
  return paymentVerification === null
    ? statusLook('payout', payoutStatus).label
    : statusLook('paymentCheck', paymentVerification).label
}

export function ProcessPayoutsDialog({ payouts, onClose, onProcessed }: ProcessPayoutsDialogProps) {
  const [hashes, setHashes] = useState<Readonly<Record<string, string>>>({})
  const { outcomes, isBusy, process } = useProcessing(onProcessed)
  const gates = useAddressChecks(payouts)
  const left = payouts.filter(({ id }) => outcomes[id]?.isDone !== true)
  const totalMicro = payouts.reduce((sum, { dueAmount }) => sum + (parseMicro(dueAmount) ?? 0n), 0n)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const entered = Object.fromEntries(left.map(({ id }) => [id, hashes[id] ?? '']))
    if (await process(left, entered)) onClose()
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Process Payouts')}
      description={t('{count} payouts · {totalMicro}', {
        count: formatCount(payouts.length),
        totalMicro: formatUsdt(formatMicro(totalMicro, 2)),
      })}
      width="lg"
      isFullOnPhone
      isDirty={Object.values(hashes).some((hash) => hash !== '') && left.length > 0}
      onSubmit={(event) => void submit(event)}
      consequence={t(
        'Each has a transfer of its own. Where transfers are looked up, one without a hash is processed alone, with a reason; above the limit a second person approves. Money that has left cannot be called back.',
      )}
      closeLabel={left.length === payouts.length ? t('Cancel') : t('Close')}
      action={
        <Button
          tone="primary"
          type="submit"
          isDisabled={left.length === 0 || gates.some(({ isClosed }) => isClosed)}
          isBusy={isBusy}
          busyLabel={t('Processing...')}
        >
          {t('Process ({count})', { count: left.length })}
        </Button>
      }
    >
      <ul aria-label={t('Payouts to process')} className="divide-y divide-line rounded-lg border border-line">
        {payouts.map((payout, index) => (
          <li key={payout.id} className="space-y-2 p-3">
            <PayoutHead payout={payout} />
            {payout.usdtAddress !== '' && gates[index] && <AddressChecks gate={gates[index]} />}
            {outcomes[payout.id]?.isDone === true ? (
              <p role="status" className="text-ok-ink">
                {outcomes[payout.id]?.words}
              </p>
            ) : (
              <TextField
                label={t('Transaction Hash of {number}', { number: formatPhone(payout.number) })}
                isMono
                autoComplete="off"
                spellCheck={false}
                maxLength={80}
                value={hashes[payout.id] ?? ''}
                error={outcomes[payout.id]?.words}
                onChange={(event) => setHashes({ ...hashes, [payout.id]: event.target.value })}
              />
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

function PayoutHead({ payout }: { payout: Payout }) {
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-3">
        <strong>{payout.userName}</strong>
        <span className="phone-number">{formatPhone(payout.number)}</span>
        <span className="ms-auto inline-flex items-center gap-1">
          <strong>{formatUsdt(payout.dueAmount)}</strong>
          <CopyButton
            value={payout.dueAmount}
            what={t('amount of {number}', { number: formatPhone(payout.number) })}
          />
        </span>
      </p>
      {payout.usdtAddress === '' ? (
        <p className="text-warn-ink">{t('No USDT address yet')}</p>
      ) : (
        <p className="flex items-center justify-between gap-2">
          <span className="font-mono break-words">{groupByFour(payout.usdtAddress)}</span>
          <CopyButton
            value={payout.usdtAddress}
            what={t('address of {number}', { number: formatPhone(payout.number) })}
            words={addressCopied}
          />
        </p>
      )}
    </>
  )
}

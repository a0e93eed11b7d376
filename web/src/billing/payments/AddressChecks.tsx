// The checks of an address before money is sent. A failed check is shown as a notice and blocks the payment.
import { useQueries } from '@tanstack/react-query'
import { type AddressCheck, profileRoutes } from '@tollgate/contract/billing/payment-profile.ts'
import { useState, type ReactNode } from 'react'
import { messageOf } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { keyOf } from '../../api/use-api.ts'
import { formatDay } from '../../format/dates.ts'
import { groupByFour } from '../../format/shorten.ts'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { StatusIcon, type StatusShape, type Tone } from '../../ui/StatusIcon.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Skeleton } from '../../ui/States.tsx'
import { t, joined } from '../../language/t.ts'
import { counted } from '../../format/counted.ts'

/** The check of one address before a payment to this user. */
export interface AddressCheckState {
  readonly address: string
  readonly check: AddressCheck | undefined
  readonly error: Error | null
  readonly refetch: () => void
  /** A look-alike exists, and the payer confirms that all groups were compared. */
  readonly isCompared: boolean
  readonly onCompared: (isCompared: boolean) => void
  /** Money must not be sent: the address is invalid or blacklisted, or a look-alike was not ruled out. */
  readonly isClosed: boolean
}

/** Checks each address that money is to be sent to. */
export function useAddressChecks(
  targets: readonly { readonly userId: number; readonly usdtAddress: string }[],
): readonly AddressCheckState[] {
  const nameOf = ({ userId, usdtAddress }: { userId: number; usdtAddress: string }) =>
    `${userId} ${usdtAddress}`
  // A client's payouts go to one address, so it is checked once.
  const distinct = [...new Map(targets.map((target) => [nameOf(target), target])).values()]
  const names = distinct.map(nameOf)
  const checks = useQueries({
    queries: distinct.map(({ userId, usdtAddress: address }) => {
      const input = { query: { userId, address } }
      return {
        queryKey: keyOf(profileRoutes.checkAddress, input),
        queryFn: ({ signal }: { signal: AbortSignal }) => call(profileRoutes.checkAddress, input, signal),
        enabled: userId > 0 && address !== '',
      }
    }),
  })
  const [compared, setCompared] = useState<readonly string[]>([])
  return targets.map((target) => {
    const address = target.usdtAddress
    const found = checks[names.indexOf(nameOf(target))]
    const check = found?.data
    const isCompared = compared.includes(address)
    return {
      address,
      check,
      error: found?.error ?? null,
      refetch: () => void found?.refetch(),
      isCompared,
      onCompared: (is) =>
        setCompared(is ? [...compared, address] : compared.filter((one) => one !== address)),
      isClosed:
        check !== undefined &&
        (!check.isValid || check.isBlacklisted === true || (check.lookAlikes.length > 0 && !isCompared)),
    }
  })
}

/** Checks one address. */
export function useAddressCheck(target: {
  readonly userId: number
  readonly usdtAddress: string
}): AddressCheckState {
  const [gate] = useAddressChecks([target])
  if (gate === undefined) throw new Error('One address has one gate')
  return gate
}

export function AddressChecks({ gate }: { gate: AddressCheckState }) {
  const { check, error, refetch } = gate
  if (error && !check)
    return (
      <Notice tone="warn" title={t('The address could not be checked')} isAlert>
        <p>{messageOf(error)}</p>
        <div className="pt-2">
          <Button size="sm" onClick={refetch}>
            {t('Try again')}
          </Button>
        </div>
      </Notice>
    )
  if (!check) return <Skeleton className="h-5 w-80 max-w-full" />
  return (
    <div className="space-y-3">
      <ul aria-label={t('Checks of the address')} className="flex flex-wrap gap-x-5 gap-y-1">
        {linesOf(check).map(({ tone, icon, words }) => (
          <li key={words} className="inline-flex items-center gap-1.5 text-ink-2">
            <StatusIcon shape={icon} tone={tone} />
            {words}
          </li>
        ))}
      </ul>
      {!check.isValid && (
        <BadAddressNotice title={t('No payment can go to this address')}>
          {joined(t(check.problem), t('Ask the client for the address again.'))}
        </BadAddressNotice>
      )}
      {check.isBlacklisted === true && (
        <BadAddressNotice title={t('USDT’s contract has this address on its blacklist')}>
          {t('A transfer would fail or be frozen. Ask the client for another address.')}
        </BadAddressNotice>
      )}
      {check.lookAlikes.length > 0 && <LookAlikes gate={gate} lookAlikes={check.lookAlikes} />}
    </div>
  )
}

function BadAddressNotice({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Notice tone="bad" title={title} isAlert>
      {children}
    </Notice>
  )
}

function LookAlikes({ gate, lookAlikes }: { gate: AddressCheckState } & Pick<AddressCheck, 'lookAlikes'>) {
  return (
    <BadAddressNotice title={t('Another known address begins and ends like this one')}>
      <p>
        {t('Forged addresses copy the ends that people compare. Compare every group, and ask the client.')}
      </p>
      <dl className="space-y-1.5 py-2">
        <div>
          <dt className="text-xs">{t('This payment goes to')}</dt>
          <dd className="font-mono break-words">{groupByFour(gate.address)}</dd>
        </div>
        {lookAlikes.map((known) => (
          <div key={`${known.address} ${known.userName}`}>
            <dt className="text-xs">
              {known.userName === ''
                ? t('A wallet of ours')
                : t('Known of {userName}', { userName: known.userName })}
            </dt>
            <dd className="font-mono break-words">{groupByFour(known.address)}</dd>
          </div>
        ))}
      </dl>
      {/*
        The payer can rule the look-alike out. Otherwise anybody could stop a client's payments by registering one.
      */}
      <Checkbox
        label={t('I compared every group with the client')}
        checked={gate.isCompared}
        onChange={(event) => gate.onCompared(event.target.checked)}
      />
    </BadAddressNotice>
  )
}

interface CheckLine {
  readonly tone: Tone
  readonly icon: StatusShape
  readonly words: string
}

const profileLines: Record<AddressCheck['profile'], CheckLine> = {
  same: { tone: 'ok', icon: 'check', words: t('In the client’s profile') },
  waiting: { tone: 'warn', icon: 'ring', words: t('Waiting in the client’s profile') },
  other: { tone: 'warn', icon: 'ring', words: t('The client’s profile names another address now') },
  none: { tone: 'warn', icon: 'ring', words: t('The client’s profile has no address') },
}

const ok = (words: string): CheckLine => ({ tone: 'ok', icon: 'check', words })

function paidLine({ paidCount, firstPaidAt }: AddressCheck): CheckLine {
  if (paidCount === 0) return { tone: 'warn', icon: 'ring', words: t('Never paid to before') }
  return ok(
    counted(paidCount, 'Paid to once, on {day}', 'Paid to {count} times, first on {day}', {
      day: formatDay(firstPaidAt),
    }),
  )
}

/** Failed checks have their own notices below, so they have no line here. */
function linesOf(check: AddressCheck): CheckLine[] {
  const lines = [paidLine(check), profileLines[check.profile]]
  if (check.isBlacklisted === null)
    lines.push({ tone: 'idle', icon: 'dash', words: t('Blacklist not checked') })
  if (check.isBlacklisted === false) lines.push(ok(t('Not blacklisted')))
  if (check.lookAlikes.length === 0) lines.push(ok(t('No look-alike known')))
  return lines
}

// The statement of a bill: printed by the browser, or downloaded as PDF.
import { statementRoutes } from '@tollgate/contract/statements/statements.ts'
import { type BillingPeriod, type PeriodLine, billingRoutes } from '@tollgate/contract/billing/bills.ts'
import { profileRoutes } from '@tollgate/contract/billing/payment-profile.ts'
import { Link } from '@tanstack/react-router'
import { Download, FileCheck, Printer, ShieldCheck } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { messageOf } from '../../api/api-error.ts'
import { call, urlOf } from '../../api/call.ts'
import { useUser } from '../../api/session.tsx'
import { useApiQuery } from '../../api/use-api.ts'
import { formatDateTime, formatEdge } from '../../format/dates.ts'
import { formatAmountFigure, formatCount, formatRate, formatUsdt } from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import { groupByFour } from '../../format/shorten.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { PrintSheet } from '../../ui/PrintSheet.tsx'
import { paths } from '../../paths.ts'
import { statusLook } from '../../ui/status.ts'
import { showToast } from '../../ui/toasts.ts'
import { formatBillingPeriod } from '../../money/bill-text.ts'
import { zoneName } from '../../language/reader.ts'
import { formatWords } from '../../format/sentences.ts'
import { t } from '../../language/t.ts'
import { PrintedMessages } from './ReviewedMessages.tsx'

/** Downloads the statement. */
export function PdfLink({ bill }: { bill: BillingPeriod }) {
  return (
    <a
      href={urlOf(statementRoutes.getStatement, { params: { id: bill.id } })}
      download
      aria-label={t('Download PDF of {bill}', { bill: formatBillingPeriod(bill) })}
      className={buttonClass()}
    >
      <Download size={16} strokeWidth={1.6} aria-hidden="true" />
      {t('Download PDF')}
    </a>
  )
}

/** Downloads every record of the period, chained and signed, for a check without us. */
export function SignedLink({ bill }: { bill: BillingPeriod }) {
  return (
    <a
      href={urlOf(statementRoutes.readStatement, { params: { id: bill.id } })}
      download
      title={t('Every record of the period, chained and signed (JSON lines)')}
      aria-label={t('Signed records of {bill}', { bill: formatBillingPeriod(bill) })}
      className={buttonClass()}
    >
      <FileCheck size={16} strokeWidth={1.6} aria-hidden="true" />
      {t('Signed records')}
    </a>
  )
}

/** Checks the same records in the browser, on the client's own page. */
export function CheckLink({ bill }: { bill: BillingPeriod }) {
  return (
    <Link
      to={paths.payment as string}
      search={{ tab: 'check', check: bill.id } as never}
      aria-label={t('Check the records of {bill} now', { bill: formatBillingPeriod(bill) })}
      className={buttonClass()}
    >
      <ShieldCheck size={16} strokeWidth={1.6} aria-hidden="true" />
      {t('Check now')}
    </Link>
  )
}

/** Fetches the lines of the bill, then prints them. */
export function PrintButton({ bill }: { bill: BillingPeriod }) {
  const [lines, setLines] = useState<readonly PeriodLine[]>()
  const [isBusy, setBusy] = useState(false)
  const print = async () => {
    setBusy(true)
    try {
      setLines(await call(billingRoutes.listPeriodLines, { params: { id: bill.id } }))
    } catch (error) {
      showToast({ tone: 'bad', title: t('Failed to fetch the statement'), text: messageOf(error) })
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Button
        icon={Printer}
        isBusy={isBusy}
        busyLabel={t('Preparing...')}
        aria-label={t('Print statement of {bill}', { bill: formatBillingPeriod(bill) })}
        onClick={() => void print()}
      >
        {t('Print statement')}
      </Button>
      {lines && <Printing bill={bill} lines={lines} onDone={() => setLines(undefined)} />}
    </>
  )
}

interface PrintingProps {
  readonly bill: BillingPeriod
  readonly lines: readonly PeriodLine[]
  readonly onDone: () => void
}

/** Opens the browser's print dialog once the sheet is drawn, and removes the sheet afterwards. */
function Printing({ bill, lines, onDone }: PrintingProps) {
  const done = useEffectEvent(onDone)
  useEffect(() => {
    const finish = () => done()
    window.addEventListener('afterprint', finish)
    window.print()
    return () => window.removeEventListener('afterprint', finish)
  }, [])
  return (
    <PrintSheet title={t('Statement')}>
      <StatementSheet bill={bill} lines={lines} />
    </PrintSheet>
  )
}

function adjustmentWords({ kind, reason, at }: PeriodLine): string {
  if (kind === 'review') return formatWords(reason)
  const words =
    reason === '' || reason === 'Adjustment'
      ? t('Adjustment')
      : t('Adjustment: {reason}', { reason: formatWords(reason) })
  return at === null ? words : `${words} (${formatDateTime(at)})`
}

function StatementSheet({ bill, lines }: Omit<PrintingProps, 'onDone'>) {
  const user = useUser()
  const profile = useApiQuery(profileRoutes.getProfile, {}, { isEnabled: bill.userId === user.id })
  const fullName = bill.userId === user.id ? profile.data?.fullName || user.fullName : ''
  const facts: readonly (readonly [string, string])[] = [
    [t('Client'), [fullName, bill.userName, bill.userEmail].filter((part) => part !== '').join(', ')],
    [t('Period'), `${formatEdge(bill.periodStart)} – ${formatEdge(bill.periodEnd)} UTC`],
    [t('Status'), statusLook('billing', bill.status).label],
    [
      t('Bill Sent'),
      bill.billSentAt === null ? t('Not sent') : `${formatDateTime(bill.billSentAt)} ${zoneName()}`,
    ],
    [t('Payment Date'), bill.paidAt === null ? t('Pending') : `${formatDateTime(bill.paidAt)} ${zoneName()}`],
  ]
  return (
    <div className="space-y-5">
      <p className="text-end">{t('Period ID: #{id}', { id: bill.id })}</p>
      <table className="w-full">
        <tbody>
          {facts.map(([label, value]) => (
            <tr key={label}>
              <th scope="row" className="w-44 py-0.5 text-start font-normal">
                {label}
              </th>
              <td className="font-medium">{value}</td>
            </tr>
          ))}
          <tr>
            <th scope="row" className="py-0.5 text-start font-normal">
              {t('USDT TRC20 Address')}
            </th>
            <td className="font-mono">
              {bill.usdtAddress === '' ? t('none given yet') : groupByFour(bill.usdtAddress)}
            </td>
          </tr>
        </tbody>
      </table>
      <table className="w-full">
        <thead>
          <tr className="border-b *:py-1 *:ps-6 *:font-semibold *:whitespace-nowrap *:first:ps-0">
            <th className="text-start">{t('Number')}</th>
            <th className="text-end">{t('Rate')}</th>
            <th className="text-end">{t('SMS')}</th>
            <th className="text-end">{t('Amount (USDT)')}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line, place) => (
            <tr
              key={`${line.number} ${line.rate} ${place}`}
              className="break-inside-avoid align-baseline *:py-0.5 *:ps-6 *:first:ps-0"
            >
              {line.number === '' && line.smsCount === 0 ? (
                <td colSpan={3}>
                  {adjustmentWords(line)}
                  <PrintedMessages line={line} />
                </td>
              ) : (
                <>
                  <td className={line.number === '' ? '' : 'font-mono whitespace-nowrap'}>
                    {line.number === '' ? adjustmentWords(line) : formatPhone(line.number)}
                  </td>
                  <td className="text-end whitespace-nowrap">
                    {line.rate === '' ? '' : formatRate(line.rate)}
                  </td>
                  <td className="text-end">{formatCount(line.smsCount)}</td>
                </>
              )}
              <td className="text-end whitespace-nowrap">{formatAmountFigure(line.amount)}</td>
            </tr>
          ))}
        </tbody>
        {/* A table foot would be repeated on every page. */}
        <tbody>
          <tr className="break-inside-avoid border-t border-b-4 border-double text-[11pt] font-semibold *:py-1.5">
            <td colSpan={2}>{t('Total')}</td>
            <td className="text-end">{formatCount(bill.totalSmsCount)}</td>
            <td className="ps-6 text-end whitespace-nowrap">{formatUsdt(bill.totalCost)}</td>
          </tr>
        </tbody>
      </table>
      <p>
        {t('Transaction Hash')}{' '}
        <span className="font-mono text-[8pt]">{bill.paymentTxHash ?? t('not paid yet')}</span>
        {bill.paymentVerification !== null &&
          ` (${statusLook('paymentCheck', bill.paymentVerification).label})`}
      </p>
    </div>
  )
}

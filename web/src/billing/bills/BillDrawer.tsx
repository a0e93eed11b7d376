import { ObjectLink } from '../../api/ObjectLink.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { type BillingPeriod, type PeriodLine, billingRoutes } from '@tollgate/contract/billing/bills.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useUser } from '../../api/session.tsx'
import { useApiQuery } from '../../api/use-api.ts'
import { formatDateTime } from '../../format/dates.ts'
import {
  formatAmountFigure,
  formatCostPerSms,
  formatCount,
  formatRate,
  formatUsdt,
} from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import { groupByFour } from '../../format/shorten.ts'
import { paths } from '../../paths.ts'
import { StatusBadge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Pairs } from '../../ui/Card.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Drawer, DrawerHead } from '../../ui/Drawer.tsx'
import { Menu, type MenuItem } from '../../ui/Menu.tsx'
import { parseSearch } from '../../url-state.ts'
import { RecordsLink } from '../../money/RecordsLink.tsx'
import { BillAmendments } from '../../amendments/BillAmendments.tsx'
import { billState } from '../../amendments/amendment-words.ts'
import { approvalNote, formatBillingPeriod } from '../../money/bill-text.ts'
import { signedFigure } from '../../money/SignedAmount.tsx'
import { ReviewedMessages } from './ReviewedMessages.tsx'
import { CheckLink, PdfLink, PrintButton, SignedLink } from './Statement.tsx'
import { CheckNote, TransactionHash } from '../payments/TransactionHash.tsx'
import { Unfetched } from '../../api/FetchFailure.tsx'
import { zoneName } from '../../language/reader.ts'
import { formatWords } from '../../format/sentences.ts'
import { t } from '../../language/t.ts'

interface BillDrawerProps {
  readonly bill: BillingPeriod
  readonly onClose: () => void
  /** On Payment Management: shows the client, and uses the labels for staff. */
  readonly isForStaff?: boolean
  /** What can be done about the bill. */
  readonly actions?: readonly MenuItem[]
}

/** A bill in detail: one line for each number and rate, with a link to its records. */
export function BillDrawer({ bill, onClose, isForStaff = false, actions = [] }: BillDrawerProps) {
  const isOpen = bill.status === 'pending'
  return (
    <Drawer
      isOpen
      onClose={onClose}
      label={t('Bill {bill}', { bill: formatBillingPeriod(bill) })}
      actions={
        actions.length > 0 && (
          <Menu trigger={<Button size="sm">{t('Change this bill')}</Button>} groups={[actions]} />
        )
      }
      {...(!isOpen && {
        foot: <BillInvoices bill={bill} />,
      })}
    >
      <BillHead bill={bill} isForStaff={isForStaff} />
      <BillDetails bill={bill} isForStaff={isForStaff} />
    </Drawer>
  )
}

/** What can be printed or kept of a closed bill. */
export function BillInvoices({ bill }: { bill: BillingPeriod }) {
  const { role } = useUser()
  return (
    <>
      {bill.status !== 'no_bill' && (
        <>
          <PrintButton bill={bill} />
          <PdfLink bill={bill} />
        </>
      )}
      <SignedLink bill={bill} />
      {role === 'user' && <CheckLink bill={bill} />}
    </>
  )
}

/** The sums of a bill; its count leads to its records. */
export function billFigures(bill: BillingPeriod) {
  const paid = [
    { label: t('Received'), value: formatUsdt(bill.receivedAmount) },
    { label: t('Due'), value: formatUsdt(bill.dueAmount) },
  ]
  const count = (
    <RecordsLink url={bill.recordsUrl} label={t('Records of this bill')}>
      {formatCount(bill.totalSmsCount)}
    </RecordsLink>
  )
  return [
    { label: t('Total Cost'), value: formatUsdt(bill.totalCost) },
    ...(bill.status === 'no_bill' ? [] : paid),
    { label: t('SMS Count'), value: count },
    { label: t('Cost per SMS'), value: formatCostPerSms(bill.costPerSms) },
  ]
}

function BillHead({ bill, isForStaff }: FactsProps) {
  return (
    <DrawerHead
      subject={
        <ObjectLink kind="bill" id={bill.id}>
          #{bill.id}
        </ObjectLink>
      }
      badge={<StatusBadge kind={isForStaff ? 'billingManagement' : 'billing'} status={billState(bill)} />}
      time={formatBillingPeriod(bill)}
      cells={billFigures(bill)}
    />
  )
}

/** What is known of a bill beside its state and its figures. */
export function BillDetails({ bill, isForStaff }: FactsProps) {
  const hasBill = bill.status !== 'no_bill'
  return (
    <div className="space-y-5">
      {hasBill && bill.status !== 'pending' && <BillAmendments bill={bill} isForStaff={isForStaff} />}
      {hasBill ? (
        <BillFacts bill={bill} isForStaff={isForStaff} />
      ) : (
        <UnbilledFacts bill={bill} isForStaff={isForStaff} />
      )}
      {bill.areRecordsRemoved === true && (
        <Notice tone="accent" title={t('Its messages are not in the lists any more')}>
          {t('They were removed after their time, or archived. The statement has each of them.')}
        </Notice>
      )}
      <BillLines bill={bill} />
    </div>
  )
}

type FactsProps = Required<Pick<BillDrawerProps, 'bill' | 'isForStaff'>>

function staffFacts({ bill, isForStaff }: FactsProps) {
  return isForStaff ? [{ label: t('User'), value: `${bill.userName}, ${bill.userEmail}` }] : []
}

/** Where the amounts of a period without a bill went. */
function UnbilledFacts({ bill, isForStaff }: FactsProps) {
  const { payouts = '0', held = '0', refused = '0', carried = '0' } = bill.unbilled ?? {}
  return (
    <Pairs
      items={[
        ...staffFacts({ bill, isForStaff }),
        { label: t('Paid out per number'), value: formatUsdt(payouts) },
        { label: t('Held for review at its end'), value: formatUsdt(held) },
        { label: t('Refused after review'), value: formatUsdt(refused) },
        { label: t('Owed, carried over to the next period'), value: formatUsdt(carried) },
      ]}
    />
  )
}

/** What was taken off the bill without a payment. A credit note stands with the amendments too. */
function differences({ status, creditedAmount, reducedAmount, setOffAmount }: BillingPeriod) {
  const other = formatMicro((parseMicro(reducedAmount) ?? 0n) - (parseMicro(creditedAmount) ?? 0n), 2)
  return [
    { label: t('Credit notes'), amount: creditedAmount },
    { label: status === 'void' ? t('Moved to a new bill') : t('Waived'), amount: other },
    { label: t('Set off'), amount: setOffAmount },
  ].flatMap(({ label, amount }) =>
    parseMicro(amount) === 0n ? [] : [{ label, value: `−${formatUsdt(amount)}` }],
  )
}

function BillFacts({ bill, isForStaff }: FactsProps) {
  const isOpen = bill.status === 'pending'
  return (
    <>
      <Pairs
        items={[
          ...staffFacts({ bill, isForStaff }),
          ...(isOpen
            ? [{ label: t('Period End'), value: `${formatDateTime(bill.periodEnd)} ${zoneName()}` }]
            : [
                { label: t('Bill Sent'), value: formatDateTime(bill.billSentAt) },
                { label: t('Payable from'), value: formatDateTime(bill.payableFrom) },
                {
                  label: t('Payment Date'),
                  value:
                    bill.paidAt === null
                      ? bill.status === 'void'
                        ? t('Nothing is paid for it')
                        : t('Pending')
                      : formatDateTime(bill.paidAt),
                },
              ]),
          ...differences(bill),
          ...(bill.runId === null ? [] : [{ label: t('Payment run'), value: `#${bill.runId}` }]),
          ...(bill.paymentTxHash === null
            ? []
            : [
                {
                  label: t('Transaction Hash'),
                  value: <TransactionHash hash={bill.paymentTxHash} isForStaff={isForStaff} />,
                },
              ]),
          ...(bill.paymentVerification === null
            ? []
            : [
                {
                  label: t('Check on chain'),
                  value: <CheckNote verification={bill.paymentVerification} note={bill.verificationNote} />,
                },
              ]),
          ...(bill.approval === null
            ? []
            : [{ label: t('Payment waits for approval'), value: approvalNote(bill.approval) }]),
        ]}
      />
      <div className="space-y-1">
        <p className="text-ink-3">
          {isOpen ? t('Address in force') : bill.paidAt === null ? t('To be paid to') : t('Paid to')}
        </p>
        {bill.usdtAddress === '' ? (
          <p className="text-warn-ink">{t('No USDT address yet. The bill waits for the first one.')}</p>
        ) : (
          <p className="flex items-start justify-between gap-2">
            <span className="font-mono break-words">{groupByFour(bill.usdtAddress)}</span>
            <CopyButton
              value={bill.usdtAddress}
              what={t('address')}
              words={{ title: t('Copied'), text: t('Address copied to clipboard') }}
            />
          </p>
        )}
      </div>
    </>
  )
}

// More lines are for the statement.
const linesShownFirst = 100

function BillLines({ bill }: { bill: BillingPeriod }) {
  const lines = useApiQuery(billingRoutes.listPeriodLines, { params: { id: bill.id } })
  const [isAll, setAll] = useState(false)
  if (!lines.data)
    return <Unfetched of={lines} title={t('Failed to fetch the lines')} className="h-32 w-full" />
  if (lines.data.length === 0)
    return (
      <p className="text-ink-3">
        {bill.status === 'pending'
          ? t('Nothing was earned in this period yet.')
          : t('No SMS of this period counts in a bill.')}
      </p>
    )
  const shown = isAll ? lines.data : lines.data.slice(0, linesShownFirst)
  return (
    <div className="space-y-2">
      <table className="w-full">
        <caption className="pb-2 text-start font-medium">{t('What it is made of')}</caption>
        <thead>
          <tr className="border-b border-line text-start text-xs text-ink-3 *:pb-1.5 *:ps-3 *:font-medium *:first:ps-0">
            <th scope="col" className="text-start">
              {t('Number')}
            </th>
            <th scope="col" className="text-end">
              {t('Rate')}
            </th>
            <th scope="col" className="text-end">
              {t('SMS')}
            </th>
            <th scope="col" className="text-end">
              {t('USDT')}
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((line, place) => (
            <LineRow key={`${line.number} ${line.rate} ${place}`} line={line} />
          ))}
        </tbody>
      </table>
      {shown.length < lines.data.length && (
        <Button size="sm" onClick={() => setAll(true)}>
          {t('Show all {count} lines', { count: formatCount(lines.data.length) })}
        </Button>
      )}
      <p className="text-xs text-ink-3">
        {t('A number leads to exactly the SMS of its line, those that came late included.')}
      </p>
    </div>
  )
}

/** The reason of an adjustment, and its date. */
function AdjustmentWords({ line }: { line: PeriodLine }) {
  const { at, recordsUrl } = line
  const reason = formatWords(line.reason)
  return (
    <span className="block max-w-80 break-words">
      {recordsUrl === '' ? (
        reason === '' ? (
          t('Adjustment')
        ) : (
          reason
        )
      ) : (
        <RecordsLink url={recordsUrl} label={t('The SMS of this adjustment: {reason}', { reason })}>
          {reason}
        </RecordsLink>
      )}
      {at !== null && (
        <span className="block text-xs text-ink-3">
          {t('adjustment of {at}', { at: formatDateTime(at) })}
        </span>
      )}
    </span>
  )
}

function LineRow({ line }: { line: PeriodLine }) {
  return (
    <tr className="border-b border-line align-baseline *:py-1.5 *:ps-3 *:first:ps-0 last:border-0">
      {line.number === '' && line.smsCount === 0 ? (
        <td colSpan={3}>
          <AdjustmentWords line={line} />
          <ReviewedMessages line={line} />
        </td>
      ) : (
        <NumberCells line={line} />
      )}
      <td className="text-end font-medium whitespace-nowrap">
        {line.number === '' ? signedFigure(line.amount) : formatAmountFigure(line.amount)}
      </td>
    </tr>
  )
}

function NumberCells({ line }: { line: PeriodLine }) {
  return (
    <>
      <td>
        {line.number === '' ? (
          <AdjustmentWords line={line} />
        ) : (
          <Link
            to={paths.records}
            // The type belongs to the other page's schema; the router only knows that a search is an object.
            search={parseSearch(line.recordsUrl.slice(line.recordsUrl.indexOf('?'))) as never}
            aria-label={t('Records of {number}', { number: formatPhone(line.number) })}
            className="phone-number text-accent-ink underline underline-offset-2"
          >
            {formatPhone(line.number)}
          </Link>
        )}
      </td>
      <td className="text-end whitespace-nowrap text-ink-2">
        {line.rate === '' ? '–' : formatRate(line.rate).replace(' USD', '')}
      </td>
      <td className="text-end">{formatCount(line.smsCount)}</td>
    </>
  )
}

import { numbersRoutes, type NumberDetail } from '@tollgate/contract/numbers/numbers.ts'
import { MessageSquare } from 'lucide-react'
import { useState } from 'react'
import { useSession } from '../api/session.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { formatPhone } from '../format/phone.ts'
import { NumberActs } from '../numbers/number/NumberActs.tsx'
import { Holdings, numberFacts } from '../numbers/number/NumberFacts.tsx'
import { NumberPrices } from '../numbers/number/NumberPrices.tsx'
import { paths } from '../paths.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { lazyComponent } from '../ui/lazy-component.ts'
import { ObjectPage, ObjectState, isGone, useObjectId } from './ObjectPage.tsx'
import { HoldsOf, trafficTab, useStaffTabs } from './shared-tabs.tsx'
import { t } from '../language/t.ts'

const SimulatorDialog = lazyComponent(() => import('../gateway/SimulatorDialog.tsx'), 'SimulatorDialog')

const home = { label: t('Premium Numbers'), path: paths.numbers }

/** One number: who holds it, what it earns and what came to it. A client sees its own numbers. */
export function NumberPage() {
  const id = useObjectId()
  const number = useApiQuery(numbersRoutes.getAccountNumber, { params: { id } })
  if (!number.data || isGone(number)) return <ObjectState of={number} kind="number" home={home} />
  return <NumberView key={id} number={number.data} />
}

function NumberView({ number }: { number: NumberDetail }) {
  const { may, user } = useSession()
  const isStaff = may('numbersManagement')
  const staffTabs = useStaffTabs('number', number.id)
  return (
    <ObjectPage
      name={formatPhone(number.phoneNumber)}
      what={
        [number.accountNumber, number.description].filter((part) => part !== '').join(' · ') || t('a number')
      }
      home={home}
      badge={<StatusBadge kind="account" status={number.status} />}
      actions={
        <>
          {may('numberRequests') && number.status === 'active' && <SendTest to={number.phoneNumber} />}
          {isStaff && <NumberActs number={number} />}
        </>
      }
      facts={numberFacts(number, user?.role === 'test', isStaff)}
      tabs={[
        {
          value: 'overview',
          label: t('Overview'),
          content: (
            <div className="grid items-start gap-4 lg:grid-cols-2">
              {may('numberRequests') && (
                <Card title={t('USD per SMS')} aside={t('Now, before, and what comes next')}>
                  <NumberPrices id={number.id} />
                </Card>
              )}
              <Card title={t('Holders')}>
                <Holdings holdings={number.holdings} isStaff={isStaff} />
              </Card>
            </div>
          ),
        },
        // A masked number finds nothing.
        user?.role !== 'test' && trafficTab({ number: number.phoneNumber }, 'phoneNumber'),
        may('holdReview') && { value: 'holds', label: t('Holds'), content: <HoldsOf numberId={number.id} /> },
        ...staffTabs,
      ]}
    />
  )
}

function SendTest({ to }: { readonly to: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button icon={MessageSquare} onClick={() => setOpen(true)}>
        {t('Send a test message')}
      </Button>
      {isOpen && <SimulatorDialog to={to} onClose={() => setOpen(false)} />}
    </>
  )
}

// What is still to do before the first message earns something. Each step reads its state from what is there.
import { Link } from '@tanstack/react-router'
import { ownEndpointsRoutes } from '@tollgate/contract/endpoints/endpoints.ts'
import { inventoryRoutes } from '@tollgate/contract/numbers/inventory.ts'
import { stockRoutes } from '@tollgate/contract/numbers/stock.ts'
import { numbersRoutes } from '@tollgate/contract/numbers/numbers.ts'
import { profileRoutes } from '@tollgate/contract/billing/payment-profile.ts'
import { usersRoutes } from '@tollgate/contract/users/users.ts'
import { X } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import { useUser } from '../api/session.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { paths } from '../paths.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { classNames } from '../ui/class-names.ts'
import { IconButton } from '../ui/IconButton.tsx'
import { lazyComponent } from '../ui/lazy-component.ts'
import { StatusIcon } from '../ui/StatusIcon.tsx'
import { useStats, type Stats } from '../records/queries.ts'
import type { StepAct } from './StepDialog.tsx'
import { t } from '../language/t.ts'

// Most who see these steps are no suppliers.
const SupplierStates = lazyComponent(() => import('./SupplierStates.tsx'), 'SupplierStates')
const StepDialog = lazyComponent(() => import('./StepDialog.tsx'), 'StepDialog')

interface Step {
  readonly title: string
  readonly why: string
  /** Undefined until it is known. */
  readonly isDone: boolean | undefined
  /** What comes first, said in the place of `why`; without it the step can be done. */
  readonly waitsFor?: string | undefined
  readonly action: ReactNode
}

interface FirstStepsProps {
  readonly isStaff: boolean
  /** Called when nothing is left to do, and when the person does not want to see it any more. */
  readonly onEnd: () => void
}

export function FirstSteps({ isStaff, onEnd }: FirstStepsProps) {
  const [dialog, setDialog] = useState<StepAct>()
  const props = { onOpen: setDialog, onEnd, isBusy: dialog !== undefined }
  const { smppAccess } = useUser()
  const OwnSteps = smppAccess ? StepsWithAccess : ClientSteps
  return (
    <>
      {isStaff ? <StaffSteps {...props} /> : <OwnSteps {...props} />}
      {dialog && <StepDialog dialog={dialog} onClose={() => setDialog(undefined)} />}
    </>
  )
}

interface StepsProps {
  readonly onOpen: (act: StepAct) => void
  readonly onEnd: () => void
  /** A dialog of a step is open, so the card stays. */
  readonly isBusy: boolean
}

const isAny = (count: number | undefined): boolean | undefined =>
  count === undefined ? undefined : count > 0

/** A message of a supplier shows as much as a test. */
const hasMessages = (stats: Stats | undefined): boolean | undefined =>
  stats && stats.totalRecords + stats.tests > 0

/** From the number to the first message that earns: each step is there from the start, and none offers what is refused. */
function StaffSteps({ onOpen, ...rest }: StepsProps) {
  const inventory = useApiQuery(inventoryRoutes.summariseInventory)
  const available = useApiQuery(inventoryRoutes.listInventory, { query: { status: 'available', limit: 2 } })
  const people = useApiQuery(usersRoutes.summariseUsers, { query: { role: 'user', status: 'active' } })
  const stats = useStats()
  const hasNumbers = isAny(inventory.data?.count)
  const isAssigned = isAny(inventory.data?.assigned)
  // Who holds a number is a client, and so is who may not bind.
  const hasClient = isAssigned || isAny(people.data && people.data.count - people.data.withSmppAccess)
  const firstNumber = hasNumbers === true ? undefined : t('First add a number.')
  const assignWaitsFor = firstNumber ?? (hasClient === true ? undefined : t('First add a client.'))
  const [only, another] = available.data ?? []
  return (
    <StepsCard
      {...rest}
      steps={[
        {
          title: t('Add your numbers'),
          why: t('One by one, or from a file.'),
          isDone: hasNumbers,
          action: (
            <>
              <StepButton onPress={() => onOpen({ kind: 'number' })}>{t('Add Number')}</StepButton>
              <StepLink to={paths.numbersManagement}>{t('Numbers Management')}</StepLink>
            </>
          ),
        },
        {
          title: t('Add a client'),
          why: t('The person chooses a password by a link that works once.'),
          isDone: hasClient,
          action: <StepButton onPress={() => onOpen({ kind: 'client' })}>{t('Add a client')}</StepButton>,
        },
        {
          title: t('Give a number to a client'),
          why: t('From then on its messages earn the client money.'),
          isDone: isAssigned,
          waitsFor: assignWaitsFor,
          action:
            assignWaitsFor !== undefined ? null : only && !another ? (
              <StepButton onPress={() => onOpen({ kind: 'assign', item: only })}>{t('Assign')}</StepButton>
            ) : (
              <StepLink to={paths.numberInventory}>{t('Number Inventory')}</StepLink>
            ),
        },
        {
          title: t('Add a supplier'),
          why: t('A user with SMPP access, who sends the messages to your numbers.'),
          isDone: isAny(people.data?.withSmppAccess),
          action: <StepButton onPress={() => onOpen({ kind: 'supplier' })}>{t('Add a supplier')}</StepButton>,
        },
        {
          title: t('Send a test message'),
          why: t('See it stored, priced and handed on. It earns nobody anything.'),
          isDone: hasMessages(stats.data),
          waitsFor: firstNumber,
          action: (
            <StepButton isDisabled={hasNumbers !== true} onPress={() => onOpen({ kind: 'test', to: '' })}>
              {t('Send a test message')}
            </StepButton>
          ),
        },
        {
          title: t('See the first message earn'),
          why: t('What a supplier sends shows at once, with what it earns the client.'),
          isDone: isAny(stats.data?.totalRecords),
          action: <StepLink to={paths.records}>{t('SMS Records')}</StepLink>,
        },
      ]}
    />
  )
}

/** Who may bind and holds no number sends messages to those of others; who holds one is a client that binds. */
function StepsWithAccess(props: StepsProps) {
  const numbers = useApiQuery(numbersRoutes.listAccountNumbers, { query: { limit: 1 } })
  if (!numbers.data) return null
  return numbers.data.length > 0 ? <ClientSteps {...props} /> : <SupplierSteps {...props} />
}

function SupplierSteps({ onEnd, isBusy }: StepsProps) {
  return (
    <SupplierStates>
      {({ isBound, isAccepted }) => (
        <StepsCard
          isBusy={isBusy}
          onEnd={onEnd}
          steps={[
            {
              title: t('Bind to the gateway'),
              why: t('With the system ID and password of your account.'),
              isDone: isBound,
              action: <StepLink to={`${paths.home}?tab=connections`}>{t('Your SMPP credentials')}</StepLink>,
            },
            {
              title: t('Send a message'),
              why: t('SMPP Traffic shows what was accepted, and why something was refused.'),
              isDone: isAccepted,
              action: <StepLink to={paths.smppTraffic}>{t('SMPP Traffic')}</StepLink>,
            },
          ]}
        />
      )}
    </SupplierStates>
  )
}

function ClientSteps({ onOpen, ...rest }: StepsProps) {
  const profile = useApiQuery(profileRoutes.getProfile)
  const terms = useApiQuery(stockRoutes.getStockTerms)
  const numbers = useApiQuery(numbersRoutes.listAccountNumbers, { query: { limit: 1 } })
  const stats = useStats()
  const endpoints = useApiQuery(ownEndpointsRoutes.listOwnEndpoints)
  const own = numbers.data?.[0]?.phoneNumber
  return (
    <StepsCard
      {...rest}
      steps={[
        {
          title: t('Enter your payout address'),
          why: t('Bills are paid to it in USDT (TRC20).'),
          isDone: profile.data && profile.data.usdtAddress !== '',
          action: <StepLink to={paths.payment}>{t('Payment')}</StepLink>,
        },
        {
          title: t('Get a number'),
          why: t('Messages to it earn you money.'),
          isDone: isAny(numbers.data?.length),
          action:
            terms.data !== undefined && terms.data.offer !== 'off' ? (
              <StepLink to={paths.numberStock}>{t('Number Stock')}</StepLink>
            ) : (
              <StepLink to={paths.numberRequests}>{t('Number Requests')}</StepLink>
            ),
        },
        {
          title: t('Send a test message'),
          why: t('See it arrive as a real one would. It earns nothing.'),
          isDone: hasMessages(stats.data),
          waitsFor: own === undefined ? t('First get a number.') : undefined,
          action: (
            <StepButton
              isDisabled={own === undefined}
              onPress={() => onOpen({ kind: 'test', to: own ?? '' })}
            >
              {t('Send a test message')}
            </StepButton>
          ),
        },
        {
          title: t('Add a webhook'),
          why: t('Your program is notified of each message.'),
          isDone: isAny(endpoints.data?.length),
          action: <StepLink to={paths.webhooks}>{t('Webhooks')}</StepLink>,
        },
      ]}
    />
  )
}

interface StepButtonProps {
  readonly isDisabled?: boolean
  readonly onPress: () => void
  readonly children: ReactNode
}

function StepButton({ isDisabled = false, onPress, children }: StepButtonProps) {
  return (
    <Button size="sm" isDisabled={isDisabled} onClick={onPress}>
      {children}
    </Button>
  )
}

function StepLink({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <Link to={to} className={buttonClass('secondary', 'sm')}>
      {children}
    </Link>
  )
}

interface StepsCardProps extends Omit<StepsProps, 'onOpen'> {
  readonly steps: readonly Step[]
}

/** All steps, as soon as it is known which are done: what is done takes less room, and who has done all sees none. */
function StepsCard({ steps, isBusy, onEnd }: StepsCardProps) {
  const isKnown = steps.every(({ isDone }) => isDone !== undefined)
  const doneCount = steps.filter(({ isDone }) => isDone === true).length
  const isOver = isKnown && doneCount === steps.length && !isBusy
  useEffect(() => {
    if (isOver) onEnd()
  }, [isOver, onEnd])
  if (isOver) return null
  const next = isKnown ? steps.findIndex(({ isDone }) => isDone === false) : -1
  const card = (
    <Card
      title={t('First steps')}
      aside={
        <span className="flex items-center gap-1">
          {isKnown && t('{done} of {count} done', { done: doneCount, count: steps.length })}
          <IconButton icon={X} label={t('Do not show the first steps again')} onClick={onEnd} />
        </span>
      }
    >
      <ol
        aria-label={t('First steps')}
        className={classNames(
          'grid gap-x-6 sm:grid-cols-2',
          steps.length > 4 ? 'xl:grid-cols-3' : 'xl:grid-cols-4',
        )}
      >
        {steps.map((step, index) => (
          <StepItem key={step.title} step={step} isNext={index === next} />
        ))}
      </ol>
    </Card>
  )
  return isKnown ? card : <div data-unknown>{card}</div>
}

function StepItem({ step, isNext }: { readonly step: Step; readonly isNext: boolean }) {
  const { title, why, isDone, waitsFor, action } = step
  return (
    <li className="flex items-start gap-2.5 py-2" {...(isNext && { 'aria-current': 'step' })}>
      <span className="grid h-5 place-items-center">
        <StatusIcon
          shape={isDone ? 'check' : isNext ? 'half' : 'ring'}
          tone={isDone ? 'ok' : isNext ? 'info' : 'idle'}
        />
      </span>
      <div className="min-w-0 space-y-1.5">
        <p className={isDone ? 'text-ink-3' : 'font-medium'}>
          {title}
          {isDone !== undefined && <span className="sr-only">: {isDone ? t('done') : t('to do')}</span>}
        </p>
        {!isDone && (
          <>
            <p className="text-xs text-ink-3">{waitsFor ?? why}</p>
            <span className="flex flex-wrap gap-2">{action}</span>
          </>
        )}
      </div>
    </li>
  )
}

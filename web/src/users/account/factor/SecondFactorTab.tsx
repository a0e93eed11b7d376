// The viewer's own second factors and recovery codes.
import { useQueryClient } from '@tanstack/react-query'
import { secondFactorRoutes, type SecondFactor } from '@tollgate/contract/users/second-factor.ts'
import { useState, type ReactNode } from 'react'
import { passkeyProblem } from '../../sign-in/passkey-support.ts'
import { useUser } from '../../../api/session.tsx'
import { refetchPaths, useApiMutation, useApiQuery } from '../../../api/use-api.ts'
import { formatDay } from '../../../format/dates.ts'
import { ConfirmMutation } from '../../../api/ConfirmMutation.tsx'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { PasskeyList } from './PasskeyList.tsx'
import { PasskeySetup } from './PasskeySetup.tsx'
import { factorPaths } from './paths.ts'
import { RecoveryCodes } from './RecoveryCodes.tsx'
import { TotpSetup } from './TotpSetup.tsx'
import { Unfetched } from '../../../api/FetchFailure.tsx'
import { t, joined } from '../../../language/t.ts'

// At this number or below, new codes are recommended.
const fewCodesMax = 3

export function SecondFactorTab() {
  const { username } = useUser()
  const client = useQueryClient()
  const factors = useApiQuery(secondFactorRoutes.getSecondFactor)
  const [codes, setCodes] = useState<readonly string[]>([])
  const [isAddingPasskey, setAddingPasskey] = useState(false)
  const start = useApiMutation(secondFactorRoutes.startTotp, {
    failure: t('Failed to set up the authenticator app'),
  })
  const added = (recoveryCodes: readonly string[]) => {
    start.reset()
    setAddingPasskey(false)
    setCodes(recoveryCodes)
    void refetchPaths(client, factorPaths)
  }
  if (factors.error || !factors.data)
    return <Unfetched of={factors} title={t('Failed to fetch your second factors')} className="h-40" />
  if (codes.length > 0)
    return (
      <RecoveryCodes
        codes={codes}
        username={username}
        doneLabel={t('I have saved them')}
        onDone={() => setCodes([])}
      />
    )
  if (start.data) return <TotpSetup app={start.data} onCancel={start.reset} onDone={added} />
  if (isAddingPasskey) return <PasskeySetup onCancel={() => setAddingPasskey(false)} onDone={added} />
  return (
    <FactorList
      factors={factors.data}
      isStarting={start.isPending}
      onApp={() => start.mutate({})}
      onPasskey={() => setAddingPasskey(true)}
      onCodes={setCodes}
    />
  )
}

interface FactorListProps {
  readonly factors: SecondFactor
  readonly isStarting: boolean
  readonly onApp: () => void
  readonly onPasskey: () => void
  readonly onCodes: (codes: readonly string[]) => void
}

function FactorList({ factors, isStarting, onApp, onPasskey, onCodes }: FactorListProps) {
  const { totpSince, passkeys, recoveryCodesLeft, isRequired, hasPasskeyAddress } = factors
  const hasAny = totpSince !== null || passkeys.length > 0
  const fault =
    passkeyProblem() ??
    (hasPasskeyAddress ? undefined : t('Passkeys do not work at this address of the console.'))
  return (
    <div className="space-y-5">
      {!hasAny && (
        <p className="text-ink-2">
          {joined(
            t('With a second factor, nobody can sign in with your password alone.'),
            isRequired && t('Your role needs one.'),
          )}
        </p>
      )}
      <FactorSection
        title={t('Authenticator app')}
        text={
          totpSince === null
            ? t('A code of 6 digits from an app on your telephone, asked for beside the password.')
            : t('Set up {totpSince}.', { totpSince: formatDay(totpSince) })
        }
        isOn={totpSince !== null}
        actions={
          <>
            <Button size="sm" onClick={onApp} isBusy={isStarting}>
              {totpSince === null ? t('Set up') : t('Replace')}
            </Button>
            {totpSince !== null && <RemoveApp />}
          </>
        }
      />
      <FactorSection
        title={t('Passkeys')}
        text={t('Your device signs you in by finger, face or PIN, without the password.')}
        isOn={passkeys.length > 0}
        actions={
          <Button size="sm" onClick={onPasskey} isDisabled={fault !== undefined}>
            {t('Add a passkey')}
          </Button>
        }
      >
        {fault !== undefined && <p className="text-xs text-ink-3">{fault}</p>}
        {passkeys.length > 0 && <PasskeyList passkeys={passkeys} />}
      </FactorSection>
      {hasAny && <RecoveryCodesSection left={recoveryCodesLeft} onCodes={onCodes} />}
    </div>
  )
}

interface FactorSectionProps {
  readonly title: string
  readonly text: string
  readonly isOn: boolean
  readonly actions: ReactNode
  readonly children?: ReactNode
}

function FactorSection({ title, text, isOn, actions, children }: FactorSectionProps) {
  return (
    <section aria-label={title} className="space-y-1">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-60">
          <h3 className="flex items-center gap-2 text-sm font-semibold">
            {title}
            {isOn && (
              <Badge tone="ok" icon="check">
                {t('On')}
              </Badge>
            )}
          </h3>
          <p className="text-ink-3">{text}</p>
        </div>
        <span className="flex shrink-0 gap-2">{actions}</span>
      </div>
      {children}
    </section>
  )
}

function RemoveApp() {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button size="sm" onClick={() => setAsking(true)}>
        {t('Remove')}
      </Button>
      {isAsking && (
        <ConfirmMutation
          onClose={() => setAsking(false)}
          title={t('Remove the authenticator app?')}
          route={secondFactorRoutes.removeTotp}
          refetch={factorPaths}
          success={t('Authenticator app removed')}
          failure={t('Failed to remove the authenticator app')}
          call={{}}
          confirmLabel={t('Remove')}
          busyLabel={t('Removing...')}
        >
          {t(
            'Its codes are no longer asked for. Without another factor, the password alone is enough to sign in, and your recovery codes stop working.',
          )}
        </ConfirmMutation>
      )}
    </>
  )
}

function RecoveryCodesSection({
  left,
  onCodes,
}: {
  left: number
  onCodes: (codes: readonly string[]) => void
}) {
  const renew = useApiMutation(secondFactorRoutes.renewRecoveryCodes, {
    refetch: factorPaths,
    failure: t('Failed to create recovery codes'),
    onSuccess: ({ recoveryCodes }) => onCodes(recoveryCodes),
  })
  return (
    <div className="space-y-2">
      <FactorSection
        title={t('Recovery codes')}
        text={t('{left} of 10 left. New ones end those you have.', { left })}
        isOn={false}
        actions={
          <Button size="sm" isBusy={renew.isPending} onClick={() => renew.mutate({})}>
            {t('Create new codes')}
          </Button>
        }
      />
      {left <= fewCodesMax && (
        <Notice
          tone="warn"
          title={left === 0 ? t('No recovery code is left') : t('Few recovery codes are left')}
        >
          {t('Create new ones, or losing your device locks you out.')}
        </Notice>
      )}
    </div>
  )
}

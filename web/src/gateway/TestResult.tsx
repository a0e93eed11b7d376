// The result of a test, with each of its steps.
import type { ConnectionTest } from '@tollgate/contract/connections/connections.ts'
import { formatDecimal } from '../format/money.ts'
import { formatWords } from '../format/sentences.ts'
import { StatusIcon } from '../ui/StatusIcon.tsx'
import { Notice } from '../ui/Notice.tsx'
import { t } from '../language/t.ts'

interface TestResultProps {
  /** What was tested. Empty where the place makes it clear. */
  readonly name?: string
  readonly test: Pick<ConnectionTest, 'success' | 'error' | 'steps'>
}

/** Why it failed, as its last step says. */
export function testFailure({ error = '', steps }: TestResultProps['test']): string {
  return formatWords(steps.find(({ isOk }) => !isOk)?.detailWords ?? error)
}

export function TestResult({ name = '', test }: TestResultProps) {
  const word = test.success ? t('Test Successful') : t('Test Failed')
  return (
    <Notice tone={test.success ? 'ok' : 'bad'} title={name === '' ? word : `${name}: ${word}`} isAlert>
      {test.error !== undefined && <p>{testFailure(test)}</p>}
      <ol className="mt-1 space-y-0.5">
        {test.steps.map(({ step, detail, detailWords, isOk, durationMs }) => (
          <li key={step} className="flex flex-wrap items-center gap-x-2">
            <StatusIcon shape={isOk ? 'check' : 'x'} tone={isOk ? 'ok' : 'bad'} />
            <span className="font-medium">{t(step)}</span>
            {isOk && <span className="min-w-0 break-words">{formatWords(detailWords ?? detail)}</span>}
            <span className="ms-auto font-mono text-xs">
              {t('{duration} ms', { duration: formatDecimal(durationMs, 1) })}
            </span>
          </li>
        ))}
      </ol>
    </Notice>
  )
}

// The rules: the versions of their figures, what they held, and what another version would have held.
import { t } from '../language/t.ts'
import { BackTests } from './BackTests.tsx'
import { RuleReport } from './RuleReport.tsx'
import { Versions } from './Versions.tsx'

export function RulesView() {
  return (
    <div className="space-y-6">
      <Versions />
      <RuleReport />
      <section className="space-y-4" aria-label={t('Back-tests')}>
        <h2 className="text-md">{t('Back-tests')}</h2>
        <BackTests />
      </section>
    </div>
  )
}

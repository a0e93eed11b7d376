// First the language, zone and looks that this browser's person chose last, then the console: its words are looked up
// while its parts are loaded.
import { readChoices } from './language/choices.ts'
import { startLanguage } from './language/start.ts'

await startLanguage(readChoices())
await import('./console.tsx')

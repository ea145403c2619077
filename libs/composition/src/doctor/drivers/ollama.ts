export { hasModel } from '@portico/ollama';

/* Feeds files to a fuzz target without libFuzzer: replays corpora and crashes under any compiler. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file || fseek(file, 0, SEEK_END)) {
            perror(argv[i]);
            return 1;
        }
        long size = ftell(file);
        uint8_t *data = malloc(size > 0 ? (size_t)size : 1);              /* its own block, so that reads beyond its end are seen */
        rewind(file);
        if (size < 0 || !data || fread(data, 1, (size_t)size, file) != (size_t)size) {
            perror(argv[i]);
            return 1;
        }
        fclose(file);
        LLVMFuzzerTestOneInput(data, (size_t)size);
        free(data);
    }
    return 0;
}
